package import Encoding
import Reasons

/// The rules of a gate, read from the operator's policy file (`deploy/policy.toml` explains every key).
///
/// The deny rules are evaluated first, then the accept rules in their order. The first rule that applies determines the
/// verdict. If no rule applies, the credential is refused. Rules can read only what the issuer signed
/// (``SignedClaims``).
package struct GatePolicy: Sendable {
    /// The name of the policy in verdicts.
    package var id: Text
    /// The operator's version of the policy.
    package var version: Text
    /// The date after which the rules accept no credential; nil for no such date.
    package var validUntil: Timestamp?
    /// The profile for reading credentials; nil for the profile in the gate's configuration.
    package var profile: Profile?
    /// The gate's civil time, for days, ages and hours.
    package var zone = CivilZone.utc
    /// The maximum difference between the clocks of issuer and gate; nil for the value in the configuration.
    package var clockSkew: Duration?
    /// The least trusted source of the date that is accepted; nil for the value in the configuration.
    package var minimumClock: WallTime.Provenance?
    /// The maximum time since the last synchronisation with a time server; nil for no limit.
    package var maxUnsynchronised: Duration?
    /// The rule about repeated presentations of a credential.
    package var replay = ReplayRule()
    /// The rules that refuse credentials. They take precedence over the accept rules.
    package var deny: [DenyRule] = []
    /// The rules that accept credentials.
    package var accept: [AcceptRule] = []
    /// The policy's own test cases.
    package var tests: [PolicyTest] = []
    /// Warnings about correct parts of the file that may surprise its author, in the order of lines.
    package var warnings: [PolicyFileError.Problem] = []
    /// The first line of each rule, by the rule's id.
    package var lines: [Text: Int] = [:]
    /// The SHA-256 hash of the policy file (32 bytes).
    package var digest: [UInt8]

    /// Creates a policy without rules, which accepts no credential.
    package init(id: Text, version: Text, digest: [UInt8]) {
        (self.id, self.version, self.digest) = (id, version, digest)
    }

    /// The name of these rules in verdicts and records: `id@version sha256:` and the first 16 hexadecimal digits of the
    /// SHA-256 of the file. Any change of the file changes the name.
    package var name: String { "\(id)@\(version) sha256:\(Hex.encode(digest.prefix(8)))" }

    /// The groups of issuers that the rules name.
    package var groups: Set<Text> { Set((deny.map(\.selector) + accept.map(\.selector)).flatMap(\.groups)) }

    /// The ids that no rule may have: this program itself uses the codes `policy.` with these ids.
    static let reservedIDs: [Text] = [ReasonCode.policyNoMatch, .policyExpired].map { code in
        Text(String(code.text.dropFirst(ReasonCode.policyPrefix.count)))
    }
}

extension VerificationPolicy {
    /// Creates the policy of a gate with these rules.
    ///
    /// - Parameters:
    ///   - rules: The operator's rules.
    ///   - defaults: The values for everything that the rules do not state: profile, skew and trust in the clock.
    ///   - direction: The direction of the gate. If nil, accept rules for a direction do not apply.
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

    /// Returns whether the date is trusted enough to accept a credential. The source of the date must not be below the
    /// minimum, and the clock must not have run too long without synchronisation.
    package func trusts(_ clock: WallTime) -> Bool {
        guard clock.provenance >= minimumClock else { return false }
        guard let limit = rules?.maxUnsynchronised, clock.provenance < .synchronised else { return true }
        return clock.unsynchronised.map { $0 <= limit } ?? false
    }
}
