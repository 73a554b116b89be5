package import Encoding

/// Decides whether one payload is a credential that may be accepted. Pure and synchronous: no network, file, clock or
/// state; the same arguments always give the same verdict. Keep one and use it for every visit.
///
/// The stages run in the order of ``Stage``; the first that fails gives the verdict's code.
package struct Verifier: Sendable {
    /// How much is checked.
    package enum Mode: Sendable {
        /// Everything.
        case full
        /// Syntax, shape, contexts and expansion: what needs no key, no trust and no clock.
        case shape
    }

    /// The trust data in force.
    package let trust: TrustStore
    /// The rules in force.
    package let policy: VerificationPolicy
    /// The bounds in force.
    package let limits: Limits

    /// A verifier over this trust data.
    package init(trust: TrustStore, policy: VerificationPolicy = .init(), limits: Limits = .init()) {
        self.trust = trust
        self.policy = policy
        self.limits = limits
    }

    /// Verifies what a wallet handed over.
    ///
    /// - Parameters:
    ///   - payload: The bytes as received, after decryption and inflation.
    ///   - claimed: What the sender says the format is; used only where the payload itself does not show it.
    ///   - demand: What the gate asked of the holder.
    ///   - recent: ``CredentialSummary/signedDigest`` of the credentials inside the replay window.
    ///   - clock: The date and how far it is to be believed.
    ///   - mode: How much is checked.
    ///   - onStage: Called at the end of each stage, passed or failed, for timing by a caller who has a clock.
    package func verify(
        _ payload: [UInt8], claimed: CredentialFormat? = nil, demand: HolderDemand = .init(),
        recent: Set<[UInt8]> = [], at clock: WallTime, mode: Mode = .full,
        onStage: ((Stage) -> Void)? = nil
    ) -> Verdict {
        let surroundings = Surroundings(trust: trust, policy: policy, limits: limits, clock: clock, onStage: onStage)
        var run = VerificationRun(surroundings, payload: payload, demand: demand, recent: recent)
        do throws(Rejection) {
            try run.verify(payload, claimed: claimed, mode: mode)
            return run.verdict(.accept, Reason(.ok))
        } catch {
            return run.verdict(.reject, error.reason)
        }
    }
}

/// One verification on its way; keeps what a verdict needs wherever it ends.
private struct VerificationRun {
    let surroundings: Surroundings
    let demand: HolderDemand
    let recent: Set<[UInt8]>
    var evidence: Evidence

    init(_ surroundings: Surroundings, payload: [UInt8], demand: HolderDemand, recent: Set<[UInt8]>) {
        self.surroundings = surroundings
        self.demand = demand
        self.recent = recent
        evidence = Evidence(CredentialSummary(payloadDigest: Digest.sha256(payload)))
    }

    mutating func verify(_ payload: [UInt8], claimed: CredentialFormat?, mode: Verifier.Mode) throws(Rejection) {
        let envelope = Envelope(limits: surroundings.limits)
        try surroundings.stage(.input) { () throws(Rejection) in
            guard payload.count <= surroundings.limits.payloadBytes else { throw Rejection(.inputTooLarge) }
        }
        let syntax = try surroundings.stage(.syntax) { () throws(Rejection) in try envelope.parse(payload) }
        let received = try surroundings.stage(.envelope) { () throws(Rejection) in
            try envelope.open(syntax, claimed: claimed)
        }
        evidence.summary.format = received.format
        try verify(received, mode)
        if mode == .shape { return }
        try surroundings.stage(.replay) { () throws(Rejection) in
            if let digest = evidence.summary.signedDigest, recent.contains(digest) { throw Rejection(.replaySeen) }
        }
    }

    /// The format's own stages. A further format is a case here and a check like ``CredentialCheck``.
    private mutating func verify(_ received: Received, _ mode: Verifier.Mode) throws(Rejection) {
        switch (received.format, received.body) {
        case (.ldpVC, .object(let document)):
            var check = CredentialCheck(surroundings, summary: evidence.summary)
            defer { evidence = check.evidence }
            if mode == .shape { return try check.checkShape(document) }
            try check.verify(document)
            // A bare credential says nothing about who holds it.
            try surroundings.stage(.holder) { () throws(Rejection) in
                if demand.required { throw Rejection(.holderProofMissing) }
            }
        case (.ldpVP, .object(let document)):
            var check = PresentationCheck(surroundings, demand: demand, summary: evidence.summary)
            defer { evidence = check.evidence }
            if mode == .shape { return try check.checkShape(document) }
            try check.verify(document)
        default: throw Rejection(.formatUnsupported)
        }
    }

    func verdict(_ decision: Verdict.Decision, _ first: Reason) -> Verdict {
        Verdict(
            decision: decision, reasons: [first] + evidence.findings, credential: evidence.summary,
            unsigned: evidence.unsigned, proofContext: evidence.proofContext, trust: surroundings.trust.version,
            policy: surroundings.policy.version)
    }
}
