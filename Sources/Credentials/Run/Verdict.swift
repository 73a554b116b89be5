package import Encoding

/// The result of one verification. Holds no claim and no credential byte: it may be logged, reported and recorded; but for
/// ``missing``, whose URLs a stranger wrote.
package struct Verdict: Sendable {
    /// What the gate may do.
    package typealias Decision = VerdictDecision

    /// What the gate may do.
    package let decision: Decision
    /// Never empty; the first one decided (`ok` when accepted), the others are findings on the way.
    package let reasons: [Reason]
    /// The format found inside the envelope, which may be that of a presentation; nil when none was.
    package let format: CredentialFormat?
    /// The credentials that decided, as far as they became known before the verdict; never empty. Accepted: all that fulfil the
    /// accepting rule, without rules all. Rejected: the one that failed or that a rule refused, else the first.
    package let decisive: [CredentialSummary]
    /// The first of them, which records name.
    package var credential: CredentialSummary { decisive[0] }
    /// What else was presented with them, as far as it was looked at.
    package let others: [CredentialSummary]
    /// Members that the signature does not cover, as JSON pointers into the credential; never to be shown or used.
    package let unsigned: [String]
    /// Under which context the proof options matched; nil when no linked-data proof was verified.
    package let proofContext: ProofContext?
    /// Name of the trust data in force: ``TrustStore/version``.
    package let trust: String
    /// Name of the policy in force: ``VerificationPolicy/version``.
    package let policy: String
    /// What the stored status lists said of the credential, an answer for each entry that was looked up, with the age of the list.
    package let status: [StatusAnswer]
    /// Id of the policy's rule that accepted; nil without rules and when rejected.
    package let rule: Text?
    /// What to remember this visit by (32 bytes each) so that it is known when it comes again within the replay window: a key
    /// for each of the ``decisive`` credentials, by the policy's ``ReplayRule/key``. Empty until the credentials are verified.
    /// Computed whenever it is asked for.
    package var replayKeys: [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return replay.flatMap(\.digests).filter { seen.insert($0).inserted }
    }
    private let replay: [ReplayKeys]
    /// The signed content of ``credential`` where its issuer's signature was verified under the trust data in force;
    /// nil: it was not reached, or did not hold. Of a credential that its dates refuse it is looked at all the same.
    var proven: SignedContent?
    /// Whether the issuer made this credential, whatever it is worth at this gate today: an accepted one, and one that
    /// is expired, revoked or denied. Only the issuer can make such a payload.
    package var isAuthentic: Bool { isAccepted || proven != nil }
    /// SHA-256 of the signed content of an authentic credential that was refused, 32 bytes; nil for any other. Computed
    /// whenever it is asked for.
    package var authenticDigest: [UInt8]? { proven?.digest }
    /// The policy's rules that were looked at, in their order, and what became of each.
    package let ruleNotes: [RuleNote]
    /// With `context.not-pinned`: the URLs of all contexts that the document names and may not use, in its order, at most
    /// ``Limits/missingContexts``. For who looks at a file; URLs can say who somebody is, so they go into no record or log.
    package let missing: [Text]
    /// With `format.unsupported`: what the payload is, where that can be told.
    package let unsupported: UnsupportedFormat?

    /// A verdict of these parts; `reasons` must not be empty. `alike`: the further credentials that decided.
    package init(
        decision: Decision, reasons: [Reason], format: CredentialFormat? = nil, credential: CredentialSummary,
        alike: [CredentialSummary] = [], others: [CredentialSummary] = [], unsigned: [String] = [],
        proofContext: ProofContext? = nil, trust: String, policy: String, status: [StatusAnswer] = [],
        rule: Text? = nil, replay: [ReplayKeys] = [], ruleNotes: [RuleNote] = [], missing: [Text] = [],
        unsupported: UnsupportedFormat? = nil
    ) {
        self.decision = decision
        self.reasons = reasons
        self.format = format ?? credential.format
        decisive = [credential] + alike
        self.others = others
        self.unsigned = unsigned
        self.proofContext = proofContext
        self.trust = trust
        self.policy = policy
        self.status = status
        self.rule = rule
        self.replay = replay
        self.ruleNotes = ruleNotes
        self.missing = missing
        self.unsupported = unsupported
    }

    /// The same, refused for that reason before its own. `proven`: what the issuer was found to have signed.
    func refused(for reason: Reason, proven: SignedContent?) -> Verdict {
        var refused = Verdict(
            decision: .reject, reasons: [reason] + reasons, format: format, credential: credential,
            alike: Array(decisive.dropFirst()), others: others, unsigned: unsigned, proofContext: proofContext,
            trust: trust, policy: policy, status: status, ruleNotes: ruleNotes, missing: missing,
            unsupported: unsupported)
        refused.proven = proven
        return refused
    }

    /// Whether the dates ended the verification, before anything was known of the signature.
    var endedAtDates: Bool {
        proven == nil && [.validityExpired, .validityNotYet, .clockUntrusted, .proofExpired].contains(code)
    }

    /// The code that decided; `ok` for an accepted credential.
    package var code: ReasonCode { reasons.first?.code ?? .internal }

    /// Whether the gate may open.
    package var isAccepted: Bool { decision == .accept }
}

/// Which context gave the proof options their meaning.
package enum ProofContext: String, Sendable {
    /// The document's own.
    case document
    /// The pinned one of the proof suite.
    case suite
}

/// What a record may say of a credential.
package struct CredentialSummary: Hashable, Sendable {
    /// Where it stands in what was received, as a JSON pointer; empty for a bare credential.
    package var place = ""
    /// Its own format; nil when none was found.
    package var format: CredentialFormat?
    /// The issuer's id; before the proof stage passed it is only what the payload says.
    package var issuer: Text?
    /// The credential's types as written, without those the signature does not cover; as IRIs where writing hides one.
    package var types: [Text] = []
    /// Start of validity.
    package var validFrom: Timestamp?
    /// End of validity.
    package var validUntil: Timestamp?
    /// SHA-256 of the payload as received (32 bytes). Computed whenever it is asked for: it is for the record, and no gate
    /// has to wait for it.
    package var payloadDigest: [UInt8] { payload.digest }
    private let payload: Payload
    /// SHA-256 of the *signed* content (32 bytes): for linked data the canonical N-Quads without the proofs, whichever of them
    /// are shown (``SignedContent``); for tokens the issuer's JWT up to its signature, without disclosures and key binding;
    /// for an mdoc its mobile security object. The same for every spelling of one credential, so records name it by
    /// HMAC(site key, this) and replays are found by it. Nil until the proof stage was reached. Computed whenever it is
    /// asked for.
    package var signedDigest: [UInt8]? {
        get { signed?.digest }
        set { signed = newValue.map { SignedContent(digest: $0) } }
    }
    /// What ``signedDigest`` is made from.
    var signed: SignedContent?

    /// A summary of which nothing but the payload is known yet.
    package init(format: CredentialFormat? = nil, payloadDigest: [UInt8]) {
        self.format = format
        payload = Payload(.digest(payloadDigest))
    }

    /// A summary of which nothing but this payload is known yet.
    init(payload: [UInt8]) { self.payload = Payload(.bytes(payload)) }
}

/// What the digest of a payload is made from. It shows nothing of it, however a summary is printed.
private struct Payload: Hashable, Sendable, CustomReflectable, CustomStringConvertible {
    enum Source: Hashable, Sendable {
        case digest([UInt8])
        case bytes([UInt8])
    }

    private let source: Source

    init(_ source: Source) { self.source = source }

    /// SHA-256, 32 bytes.
    var digest: [UInt8] {
        switch source {
        case .digest(let digest): digest
        case .bytes(let bytes): Digest.sha256(bytes)
        }
    }

    var description: String { "payload" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
