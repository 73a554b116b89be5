package import Encoding
import LinkedData

/// Decides whether one payload is a credential that may be accepted. Pure and synchronous: no network, file or clock; the
/// same arguments always give the same verdict, as all that is remembered are contexts. Keep one and use it for every visit.
///
/// The stages run in the order of ``Stage``; the first that fails gives the verdict's code.
package struct Verifier: Sendable {
    /// How much is checked.
    package enum Mode: Sendable {
        /// Everything.
        case full
        /// Syntax, shape, contexts and expansion: what needs no key, no trust and no clock.
        case shape
        /// Everything but who vouches for a signing certificate and what it may be used for: signature, digests, dates
        /// and shape of data whose roots nobody has. What a laboratory looks at; no gate may open on it, so neither the
        /// replay window nor the policy is asked.
        case issuerDataOnly
    }

    /// The trust data in force.
    package let trust: TrustStore
    /// The rules in force.
    package let policy: VerificationPolicy
    /// The bounds in force.
    package let limits: Limits
    /// Whether the one spelling is asked for; tests look at what the statements alone decide.
    var checksSpelling = true

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
            run.rememberContexts()
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
    /// The JSON text of linked data.
    var text: [UInt8] = []
    /// What to remember this visit by.
    var replayKeys: [[UInt8]] = []
    var rule: Text?
    var ruleNotes: [RuleNote] = []

    init(_ surroundings: Surroundings, payload: [UInt8], demand: HolderDemand, recent: Set<[UInt8]>) {
        self.surroundings = surroundings
        self.demand = demand
        self.recent = recent
        evidence = Evidence(CredentialSummary(payload: payload))
    }

    mutating func verify(_ payload: [UInt8], claimed: CredentialFormat?, mode: Verifier.Mode) throws(Rejection) {
        let envelope = Envelope(limits: surroundings.limits, known: surroundings.trust.inlineContexts.all)
        try surroundings.stage(.input) { () throws(Rejection) in
            guard payload.count <= surroundings.limits.payloadBytes else { throw Rejection(.inputTooLarge) }
        }
        let syntax = try surroundings.stage(.syntax) { () throws(Rejection) in
            try envelope.parse(payload, claimed: claimed)
        }
        let received = try surroundings.stage(.envelope) { () throws(Rejection) in
            try envelope.open(syntax, claimed: claimed)
        }
        evidence.summary.format = received.format
        text = received.text
        try verify(received, mode)
        guard mode == .full else { return }
        let wasSeen = try surroundings.stage(.replay) { () throws(Rejection) in try checkReplay() }
        guard let rules = surroundings.policy.rules else { return }
        try surroundings.stage(.policy) { () throws(Rejection) in try ask(rules, wasSeen: wasSeen) }
    }

    /// Makes the next credential of an accepted one's issuer cheaper to verify.
    func rememberContexts() {
        surroundings.trust.inlineContexts.remember(
            evidence.inlineContexts, in: text, limits: surroundings.limits.json)
    }

    /// Whether the visitor was here within the window. Where a rule may decide otherwise it is asked in its turn; else a
    /// visitor who is to be refused is refused here.
    private mutating func checkReplay() throws(Rejection) -> Bool {
        let rule = surroundings.policy.replay
        replayKeys = rule.keys(of: evidence.claims)
        if replayKeys.isEmpty, let digest = evidence.summary.signedDigest { replayKeys = [digest] }
        guard replayKeys.contains(where: recent.contains) else { return false }
        let actions = [rule.action] + (surroundings.policy.rules?.accept.compactMap(\.replay) ?? [])
        if actions.allSatisfy({ $0 == .reject }) { throw Rejection(.replaySeen) }
        if surroundings.policy.rules == nil, rule.action == .flag {
            evidence.findings.append(Reason(.replaySeen, severity: .warning))
        }
        return true
    }

    private mutating func ask(_ rules: GatePolicy, wasSeen: Bool) throws(Rejection) {
        let trust = surroundings.trust
        let subject = PolicyCase(
            claims: evidence.claims, places: evidence.places, status: evidence.status,
            holderProven: evidence.holderProven, wasSeen: wasSeen)
        var question = PolicyQuestion(
            rules, of: surroundings.policy, about: subject, at: surroundings.clock,
            knowing: PolicyKnowledge(groups: trust.members(ofGroup:), names: { trust.contextNames[$0] }))
        let decision = question.decide()
        ruleNotes = decision.notes
        switch decision.outcome {
        case .accept(let rule, let warning):
            self.rule = rule
            evidence.findings.append(Reason(.policy(accepting: rule.string), severity: .info))
            if let warning { evidence.findings.append(warning) }
        case .reject(let reason): throw Rejection(reason.code, at: reason.pointer)
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
            try requireNoHolder()
        case (.ldpVP, .object(let document)):
            var check = PresentationCheck(surroundings, demand: demand, summary: evidence.summary)
            defer { evidence = check.evidence }
            if mode == .shape { return try check.checkShape(document) }
            try check.verify(document)
        case (let format, .jwt(let token)) where format == .jwtVP || format == .vpJWT:
            var check = JWTPresentationCheck(surroundings, demand: demand, summary: evidence.summary)
            defer { evidence = check.evidence }
            if mode == .shape { return try check.checkShape(token, as: format) }
            try check.verify(token, as: format)
        case (let format, .jwt(let token)):
            var check = JWTCheck(surroundings, summary: evidence.summary)
            defer { evidence = check.evidence }
            if mode == .shape { return _ = try check.checkShape(token, as: format) }
            try check.verify(token, as: format)
            try requireNoHolder()
        case (let format, .sdJWT(let token)):
            var check = SDJWTCheck(surroundings, demand: demand, summary: evidence.summary)
            defer { evidence = check.evidence }
            if mode == .shape { return try check.checkShape(token, as: format) }
            try check.verify(token, as: format)
        case (.mdoc, .token(let letters)):
            var check = MdocCheck(surroundings, mode: mode, summary: evidence.summary)
            defer { evidence = check.evidence }
            try check.verify(letters)
            if mode == .full { try requireNoHolder() }
        default: throw Rejection(.formatUnsupported)
        }
    }

    /// Holder stage of what says nothing about who holds it: a bare credential, an mdoc outside its own transport.
    private func requireNoHolder() throws(Rejection) {
        try surroundings.stage(.holder) { () throws(Rejection) in
            if demand.required { throw Rejection(.holderProofMissing) }
        }
    }

    func verdict(_ decision: Verdict.Decision, _ first: Reason) -> Verdict {
        let isOverdue = surroundings.trust.edition?.age(at: surroundings.clock.utc) == .overdue
        let overdue = isOverdue ? [Reason(.trustStale, severity: .warning)] : []
        return Verdict(
            decision: decision, reasons: [first] + evidence.findings + overdue, credential: evidence.summary,
            unsigned: evidence.unsigned, proofContext: evidence.proofContext, trust: surroundings.trust.version,
            policy: surroundings.policy.version, status: evidence.status, rule: rule, replayKeys: replayKeys,
            ruleNotes: ruleNotes)
    }
}
