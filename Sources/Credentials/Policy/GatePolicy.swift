package import Encoding

/// The rules of a gate, as an operator writes them into a policy file (`deploy/policy.toml` explains every key).
///
/// The deny rules are looked at first, then the accept rules in their order; the first that fits decides, and when none does,
/// nobody is let in. Only what the issuer signed can be read (``SignedClaims``).
package struct GatePolicy: Sendable {
    /// Names the policy in verdicts.
    package var id: Text
    /// The operator's version of it.
    package var version: Text
    /// After this date nobody is let in by these rules.
    package var validUntil: Timestamp?
    /// How strictly credentials are read; nil leaves it to the gate's configuration.
    package var profile: Profile?
    /// The gate's civil time, for days, ages and hours.
    package var zone = CivilZone.utc
    /// How far the clocks of issuer and gate may differ; nil leaves it to the configuration.
    package var clockSkew: Duration?
    /// The least trusted source of the date; nil leaves it to the configuration.
    package var minimumClock: WallTime.Provenance?
    /// How long the date may have gone without a time server; nil: no matter.
    package var maxUnsynchronised: Duration?
    /// What counts as the same visitor again, and what follows.
    package var replay = ReplayRule()
    /// Who is kept out whatever the accept rules say.
    package var deny: [DenyRule] = []
    /// Who is let in.
    package var accept: [AcceptRule] = []
    /// The policy's own test cases.
    package var tests: [PolicyTest] = []
    /// What in the file is right and may yet surprise its author, in the order of its lines.
    package var warnings: [PolicyFileError.Problem] = []
    /// The line at which a rule of that id begins.
    package var lines: [Text: Int] = [:]
    /// SHA-256 of the file (32 bytes).
    package var digest: [UInt8]

    /// A policy without rules, which lets nobody in.
    package init(id: Text, version: Text, digest: [UInt8]) {
        (self.id, self.version, self.digest) = (id, version, digest)
    }

    /// Names these very rules in verdicts and records: `id@version sha256:` and 16 hexadecimal digits of the file's hash.
    package var name: String { "\(id)@\(version) sha256:\(Hex.encode(digest.prefix(8)))" }

    /// The groups of issuers that the rules name.
    package var groups: Set<Text> { Set((deny.map(\.selector) + accept.map(\.selector)).flatMap(\.groups)) }

    /// Rule ids that have a meaning of their own.
    static let reservedIDs: [Text] = [ReasonCode.policyNoMatch, .policyExpired].map { code in
        Text(String(code.text.dropFirst(ReasonCode.policyPrefix.count)))
    }
}

extension VerificationPolicy {
    /// The rules of a gate.
    ///
    /// - Parameters:
    ///   - rules: What the operator wrote.
    ///   - defaults: What holds where the rules say nothing: profile, skew and worth of the clock.
    ///   - direction: Which way the gate leads; nil when it has none, then rules for a direction do not apply.
    package init(_ rules: GatePolicy, over defaults: VerificationPolicy = .init(), direction: GateDirection? = nil) {
        self = defaults
        version = rules.name
        statedProfile = rules.profile ?? defaults.statedProfile
        clockSkew = rules.clockSkew ?? defaults.clockSkew
        minimumClock = rules.minimumClock ?? defaults.minimumClock
        replay = rules.replay
        decidesOnStatus = true
        self.rules = rules
        self.direction = direction
    }

    /// Whether the date is worth enough to accept anybody by it: no source below the minimum, and no clock that has run too
    /// long on its own.
    package func trusts(_ clock: WallTime) -> Bool {
        guard clock.provenance >= minimumClock else { return false }
        guard let limit = rules?.maxUnsynchronised, clock.provenance < .synchronised else { return true }
        return clock.unsynchronised.map { $0 <= limit } ?? false
    }
}
