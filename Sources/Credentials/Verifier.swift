package import Encoding
import LinkedData

/// Decides whether one payload is a credential that may be accepted. Pure and synchronous: no network, file or clock; the
/// same arguments always give the same verdict, as all that is remembered are contexts. Keep one and use it for every visit.
///
/// The stages run in the order of ``Stage``; the first that fails gives the verdict's code.
package struct Verifier: Sendable {
    /// How much is checked.
    package typealias Mode = VerificationMode

    /// The trust data in force.
    package let trust: TrustStore
    /// The rules in force.
    package let policy: VerificationPolicy
    /// The bounds in force.
    package let limits: Limits
    /// ``Surroundings/checksSpelling``
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
        let surroundings = Surroundings(
            trust: trust, policy: policy, limits: limits, clock: clock, onStage: onStage,
            checksSpelling: checksSpelling)
        var run = VerificationRun(surroundings, payload: payload, demand: demand, recent: recent)
        do throws(Rejection) {
            try run.verify(payload, claimed: claimed, mode: mode)
            run.rememberContexts()
            return run.verdict(.accept, Reason(.ok))
        } catch {
            return run.verdict(.reject, error.reason, unsupported: error.unsupported)
        }
    }
}

/// One verification on its way; keeps what a verdict needs wherever it ends.
private struct VerificationRun {
    let surroundings: Surroundings
    let demand: HolderDemand
    let recent: Set<[UInt8]>
    var evidence: Evidence
    /// What the envelope held.
    var received: Received?
    /// What to remember this visit by.
    var replay = ReplayKeys()
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
        self.received = received
        try verify(received, mode)
        guard mode == .full else { return }
        let wasSeen = try surroundings.stage(.replay) { () throws(Rejection) in try checkReplay() }
        guard let rules = surroundings.policy.rules else { return }
        try surroundings.stage(.policy) { () throws(Rejection) in try ask(rules, wasSeen: wasSeen) }
    }

    /// Makes the next credential of an accepted one's issuer cheaper to verify.
    func rememberContexts() {
        surroundings.trust.inlineContexts.remember(
            evidence.inlineContexts, in: received?.text ?? [], limits: surroundings.limits.json)
    }

    /// Whether the visitor was here within the window. Where a rule may decide otherwise it is asked in its turn; else a
    /// visitor who is to be refused is refused here.
    private mutating func checkReplay() throws(Rejection) -> Bool {
        let rule = surroundings.policy.replay
        replay = rule.keys(of: evidence.claims)
        if evidence.claims.isEmpty, let signed = evidence.summary.signed { replay.contents = [signed] }
        // Names are made only where there is somebody to compare with: of a signed text that takes its graph.
        guard replay.mayHideOne || !recent.isEmpty && replay.digests.contains(where: recent.contains) else {
            return false
        }
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
            knowing: PolicyKnowledge(groups: trust.members(ofGroup:), names: trust.contextNames))
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

    /// The stages of the format, then status and holder. A presentation asks for the status of each of its credentials itself.
    private mutating func verify(_ received: Received, _ mode: Verifier.Mode) throws(Rejection) {
        if mode == .shape {
            var check = try received.check(surroundings, demand: demand, mode: mode, summary: evidence.summary)
            defer { evidence = check.evidence }
            return try check.checkShape()
        }
        _ = try received.verify(surroundings, demand: demand, mode: mode, into: &evidence)
    }

    func verdict(
        _ decision: Verdict.Decision, _ first: Reason, unsupported: UnsupportedFormat? = nil
    ) -> Verdict {
        let (trust, limits) = (surroundings.trust, surroundings.limits)
        let missing = first.code == .contextNotPinned ? received?.document : nil
        let isOverdue = surroundings.trust.edition?.age(at: surroundings.clock.utc) == .overdue
        let overdue = isOverdue ? [Reason(.trustStale, severity: .warning)] : []
        return Verdict(
            decision: decision, reasons: [first] + evidence.findings + overdue, credential: evidence.summary,
            unsigned: evidence.unsigned, proofContext: evidence.proofContext, trust: surroundings.trust.version,
            policy: surroundings.policy.version, status: evidence.status, rule: rule, replay: replay,
            ruleNotes: ruleNotes,
            missing: missing.map {
                trust.missingContexts(of: $0, issuer: evidence.summary.issuer, limits: limits)
            } ?? [], unsupported: unsupported)
    }
}
