package import Encoding
package import Reasons

/// The result of one verification. A verdict contains no claim and no credential byte, so it may be logged, reported
/// and recorded. The exception is ``missing``, whose URLs come from an untrusted source.
package struct Verdict: Equatable, Sendable {
    /// Whether the gate may be opened.
    package typealias Decision = VerdictDecision

    /// Whether the credential or presentation was accepted, so that the gate may be opened.
    package let decision: Decision
    /// The reasons, never empty. The first reason determined the verdict (`ok` if accepted). The others are findings of
    /// earlier stages.
    package let reasons: [Reason]
    /// The format inside the envelope, which may be that of a presentation; nil if no format was found.
    package let format: CredentialFormat?
    /// The credentials that determine the verdict, with the data known at the verdict. The list is never empty. If
    /// accepted: all credentials that fulfil the accepting rule or, without rules, all credentials. If rejected: the
    /// credential that failed or that a rule refused, otherwise the first credential.
    package let decisive: [CredentialSummary]
    /// The first of the ``decisive`` credentials. Records name this credential.
    package var credential: CredentialSummary { decisive[0] }
    /// The other presented credentials, as far as they were checked.
    package let others: [CredentialSummary]
    /// The members that the signature does not cover, as JSON pointers into the credential. These members must not be
    /// shown or used.
    package let unsigned: [String]
    /// The context under which the proof options matched; nil if no linked-data proof was verified.
    package let proofContext: ProofContext?
    /// Name of the trust data in force: ``TrustStore/version``.
    package let trust: String
    /// Name of the policy in force: ``VerificationPolicy/version``.
    package let policy: String
    /// The answers of the stored status lists for each entry that was looked up, with the age of the list.
    package let status: [StatusAnswer]
    /// The id of the accepting rule; nil without rules and for a rejection.
    package let rule: Text?
    /// The replay keys of this visit (32 bytes each), by which a repetition within the replay window is recognised. The
    /// keys belong to the ``decisive`` credentials; the policy's ``ReplayRule/key`` determines their kind. The list is
    /// empty until the credentials are verified. Each call computes the keys.
    package var replayKeys: [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return replay.flatMap(\.digests).filter { seen.insert($0).inserted }
    }
    private let replay: [ReplayKeys]
    /// The signed content of ``credential``, if its issuer's signature was verified under the current trust data; nil
    /// if the signature was not checked or is invalid. The signature is verified even if the dates are not valid.
    var proven: SignedContent?
    /// Whether the issuer made this credential, even if the gate refuses it today: accepted, expired, revoked and
    /// denied credentials are authentic. Only the issuer can make such a payload.
    package var isAuthentic: Bool { isAccepted || proven != nil }
    /// The SHA-256 (32 bytes) of the signed content of ``credential``; nil if the issuer's signature was not verified.
    /// Each call computes the digest.
    package var authenticDigest: [UInt8]? { proven?.digest }
    /// The evaluated rules of the policy, in order, each with its result.
    package let ruleNotes: [RuleNote]
    /// With the reason `context.not-pinned`: the URLs of all contexts that the document names but may not use, in
    /// document order, at most ``Limits/missingContexts``. The URLs are for people who examine a file. A URL can
    /// identify a person, so it is never recorded or logged.
    package let missing: [Text]
    /// With `format.unsupported`: the format of the payload, if the format is recognised; otherwise nil.
    package let unsupported: UnsupportedFormat?

    /// Creates a verdict from its parts. `reasons` must not be empty. `alike`: the ``decisive`` credentials after
    /// `credential`.
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

    /// Returns this verdict as a rejection, with `reason` before the existing reasons. `proven`: the content that the
    /// issuer has provably signed.
    func refused(for reason: Reason, proven: SignedContent?) -> Verdict {
        var refused = Verdict(
            decision: .reject, reasons: [reason] + reasons, format: format, credential: credential,
            alike: Array(decisive.dropFirst()), others: others, unsigned: unsigned, proofContext: proofContext,
            trust: trust, policy: policy, status: status, ruleNotes: ruleNotes, missing: missing,
            unsupported: unsupported)
        refused.proven = proven
        return refused
    }

    /// Whether the dates ended the verification before the verification of the signature.
    var endedAtDates: Bool {
        proven == nil && [.validityExpired, .validityNotYet, .clockUntrusted, .proofExpired].contains(code)
    }

    /// The code of the first reason, which determined the verdict; `ok` for an accepted credential.
    package var code: ReasonCode { reasons.first?.code ?? .internal }

    /// Whether the gate may open.
    package var isAccepted: Bool { decision == .accept }
}

/// The context that defined the meaning of the proof options.
package enum ProofContext: String, Sendable {
    /// The document's own context.
    case document
    /// The pinned context of the proof suite.
    case suite
}

/// The data about a credential that a record may contain.
package struct CredentialSummary: Hashable, Sendable {
    /// The place of the credential in the received payload, as a JSON pointer. The pointer is empty for a bare
    /// credential.
    package var place = ""
    /// The credential's own format; nil if no format was found.
    package var format: CredentialFormat?
    /// The issuer's id. Before the end of the proof stage, the id is unverified content of the payload.
    package var issuer: Text?
    /// The credential's types as written, without types that the signature does not cover. If the spelling hides a
    /// type, the types are IRIs.
    package var types: [Text] = []
    /// The start of the credential's validity.
    package var validFrom: Timestamp?
    /// The end of the credential's validity.
    package var validUntil: Timestamp?
    /// The SHA-256 of the *signed* content (32 bytes), equal for every spelling of a credential. For linked data, the
    /// hash covers the canonical N-Quads without the proofs (``SignedContent``). For a token, it covers the issuer's
    /// JWT up to its signature, without disclosures and key binding. For an mdoc, it covers the mobile security object.
    /// Records name the credential by HMAC(site key, hash), and the gate detects replays by the hash. Nil before the
    /// proof stage. Each call computes the digest.
    package var signedDigest: [UInt8]? {
        get { signed?.digest }
        set { signed = newValue.map { SignedContent(digest: $0) } }
    }
    /// The content from which ``signedDigest`` is computed; nil before the proof stage.
    var signed: SignedContent?

    /// Creates a summary that states only a format.
    package init(format: CredentialFormat? = nil) { self.format = format }
}
