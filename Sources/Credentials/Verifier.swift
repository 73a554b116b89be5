package import Encoding
import LinkedData
import Reasons

/// A verifier determines whether one payload contains a credential that may be accepted. The verifier is synchronous
/// and uses no network, file or clock. The same arguments always lead to the same verdict, because the only state is a
/// cache of contexts. Create one verifier and use it for every visit.
///
/// The stages run in the order of ``Stage``. The first stage that fails determines the verdict's code.
package struct Verifier: Sendable {
    /// The checks to run.
    package typealias Mode = VerificationMode

    /// The trust data in force.
    package let trust: TrustStore
    /// The rules in force.
    package let policy: VerificationPolicy
    /// The profile for reading credentials.
    package var profile: Profile { policy.profile(over: trust.profile) }
    /// The limits in force.
    package let limits: Limits
    /// Whether unusual spellings are refused (``VerificationContext/checksSpelling``).
    var checksSpelling = true

    /// Creates a verifier with the given trust data.
    package init(trust: TrustStore, policy: VerificationPolicy = .init(), limits: Limits = .init()) {
        self.trust = trust
        self.policy = policy
        self.limits = limits
    }

    /// Verifies a payload from a wallet.
    ///
    /// - Parameters:
    ///   - payload: The bytes as received, after decryption and inflation.
    ///   - claimed: The format that the sender states, or nil. It determines the format only of a payload that does not
    ///     show its own.
    ///   - demand: The gate's demands on the holder.
    ///   - recent: ``Verdict/replayKeys`` of the visits within the replay window.
    ///   - clock: The date and its provenance. If several dates are possible, the credential must be valid at each of
    ///     them.
    ///   - mode: The checks to run.
    ///   - onStage: Called at the end of each stage, passed or failed. A caller with a clock can time the stages.
    package func verify(
        _ payload: [UInt8], claimed: CredentialFormat? = nil, demand: HolderDemand = .init(),
        recent: Set<[UInt8]> = [], at clock: WallTime, mode: Mode = .full,
        onStage: ((Stage) -> Void)? = nil
    ) -> Verdict {
        var dated = clock
        (dated.alternative, dated.lastConfirmed) = (nil, nil)
        var verdict = judge(payload, claimed, demand, recent, dated, mode, onStage)
        guard verdict.isAccepted else {
            // A verification checks the dates before the signature, because that check is cheap. If the dates fail,
            // verify the signature too, because only the signature shows whether the payload is authentic.
            if mode == .full, verdict.endedAtDates {
                verdict.proven = judge(payload, claimed, demand, recent, dated, mode, nil, checksDates: false).proven
            }
            return verdict
        }
        for second in doubts(of: clock) {
            let other = judge(payload, claimed, demand, recent, second, mode, nil)
            if !other.isAccepted { return other.refused(for: Reason(.dateUnconfirmed), proven: verdict.proven) }
        }
        return verdict
    }

    /// Returns the further clocks under which a credential must also be accepted: one for each other possible date. If
    /// a rule of the policy has hours, the result includes a clock with the last confirmed date, so that the hours are
    /// checked at all times since that date.
    private func doubts(of clock: WallTime) -> [WallTime] {
        var dates = clock.possible.dropFirst().map { date in
            WallTime(utc: date, provenance: clock.provenance, unsynchronised: clock.unsynchronised)
        }
        let hasHours = policy.rules?.accept.contains { !$0.hours.isEmpty } == true
        if let last = clock.lastConfirmed, last < clock.utc, hasHours {
            var time = clock
            time.alternative = nil
            dates.append(time)
        }
        return dates
    }

    private func judge(
        _ payload: [UInt8], _ claimed: CredentialFormat?, _ demand: HolderDemand, _ recent: Set<[UInt8]>,
        _ clock: WallTime, _ mode: Mode, _ onStage: ((Stage) -> Void)?, checksDates: Bool = true
    ) -> Verdict {
        let verificationContext = VerificationContext(
            trust: trust, policy: policy, limits: limits, clock: clock, onStage: onStage,
            checksSpelling: checksSpelling, checksDates: checksDates)
        var run = VerificationRun(verificationContext, demand: demand, recent: recent)
        do throws(Rejection) {
            try run.verify(payload, claimed: claimed, mode: mode)
            if checksDates { run.rememberContexts() }
            return run.verdict(.accept, Reason(.ok))
        } catch {
            return run.verdict(.reject, error.reason, unsupported: error.unsupported)
        }
    }
}

/// The state of one verification, with the data for a verdict at any stage.
private struct VerificationRun {
    let verificationContext: VerificationContext
    let demand: HolderDemand
    let recent: Set<[UInt8]>
    var evidence = Evidence(CredentialSummary())
    /// The credential or presentation in the envelope; nil before the envelope stage.
    var received: Received?
    /// The replay keys of each credential.
    var replay: [ReplayKeys] = []
    /// The indices of the credentials that determine the verdict; empty if they are unknown.
    var decisive: [Int] = []
    var rule: Text?
    var ruleNotes: [RuleNote] = []

    init(_ verificationContext: VerificationContext, demand: HolderDemand, recent: Set<[UInt8]>) {
        self.verificationContext = verificationContext
        self.demand = demand
        self.recent = recent
    }

    mutating func verify(_ payload: [UInt8], claimed: CredentialFormat?, mode: Verifier.Mode) throws(Rejection) {
        let envelope = Envelope(limits: verificationContext.limits, known: verificationContext.trust.inlineContexts.all)
        try verificationContext.stage(.input) { () throws(Rejection) in
            guard payload.count <= verificationContext.limits.payloadBytes else { throw Rejection(.inputTooLarge) }
        }
        let syntax = try verificationContext.stage(.syntax) { () throws(Rejection) in
            try envelope.parse(payload, claimed: claimed)
        }
        let received = try verificationContext.stage(.envelope) { () throws(Rejection) in
            try envelope.open(syntax, claimed: claimed)
        }
        evidence.summary.format = received.format
        self.received = received
        try verify(received, mode)
        guard mode == .full else { return }
        let seen = try verificationContext.stage(.replay) { () throws(Rejection) in try checkReplay() }
        guard let rules = verificationContext.policy.rules else { return try admit(all: seen.indices) }
        try verificationContext.stage(.policy) { () throws(Rejection) in try ask(rules, seen) }
    }

    /// Caches the inline contexts of an accepted credential, so that the verification of the issuer's next credential
    /// is cheaper.
    func rememberContexts() {
        verificationContext.trust.inlineContexts.remember(
            evidence.whole.inlineContexts, in: received?.text ?? [], limits: verificationContext.limits.json)
    }

    /// Returns for each credential whether it was presented within the replay window. The rule that accepts a
    /// credential determines the consequence of a repetition. A repetition is refused at once if the gate has no rules
    /// and the action is `reject`, or if all credentials are repetitions and neither the policy nor any rule tolerates
    /// a repetition.
    private mutating func checkReplay() throws(Rejection) -> [Bool] {
        let (rule, rules) = (verificationContext.policy.replay, verificationContext.policy.rules)
        replay = evidence.credentials.map { found in
            found.claims.map(rule.keys) ?? ReplayKeys(contents: [found.summary.signed].compactMap(\.self))
        }
        let seen = replay.map { $0.wereSeen(among: recent) }
        let actions = [rule.action] + (rules?.accept.compactMap(\.replay) ?? [])
        guard let first = seen.firstIndex(of: true), rules == nil || !seen.contains(false) else { return seen }
        if actions.allSatisfy({ $0 == .reject }) {
            decisive = [first]
            throw Rejection(.replaySeen).inside(evidence.credentials[first].summary.place)
        }
        if rules == nil, rule.action == .flag {
            evidence.findings.append(Reason(.replaySeen, severity: .warning))
        }
        return seen
    }

    /// Admits the credentials at a gate without rules: the trust data's entry of each credential's issuer must admit
    /// the credential.
    private mutating func admit(all credentials: Range<Int>) throws(Rejection) {
        decisive = Array(credentials)
        for (index, found) in evidence.credentials.enumerated() {
            guard let finding = found.claims.flatMap(Admission(verificationContext: verificationContext).finding) else {
                continue
            }
            let place = found.summary.place
            guard finding.severity == .error else {
                evidence.findings.append(finding.moved(to: place.isEmpty ? nil : place))
                continue
            }
            decisive = [index]
            try verificationContext.stage(.policy) { () throws(Rejection) in
                throw Rejection(finding.code, finding.detail, at: place)
            }
        }
    }

    private mutating func ask(_ rules: GatePolicy, _ seen: [Bool]) throws(Rejection) {
        let (trust, admission) = (verificationContext.trust, Admission(verificationContext: verificationContext))
        let cases = zip(evidence.credentials, seen).compactMap { found, wasSeen in
            found.claims.map { claims in
                PolicyCase(
                    claims: claims, place: found.summary.place, status: found.status, holder: evidence.holder,
                    wasSeen: wasSeen, untyped: admission.finding(about: claims))
            }
        }
        // No rule can deny a credential without claims, so such a credential must not pass together with others.
        guard cases.count == seen.count else { throw Rejection(.internal) }
        var question = PolicyQuestion(
            rules, of: verificationContext.policy, about: cases, at: verificationContext.clock,
            knowing: PolicyKnowledge(
                groups: trust.members(ofGroup:), pinned: trust.processor, profile: verificationContext.profile,
                work: RuleWork(verificationContext.limits.ruleNodes)))
        let decision = question.decide()
        (ruleNotes, decisive) = (decision.notes, decision.credentials)
        switch decision.outcome {
        case .accept(let rule, let warnings):
            self.rule = rule
            evidence.findings.append(Reason(.policy(accepting: rule.string), severity: .info))
            evidence.findings += warnings
        case .reject(let reason): throw Rejection(reason.code, reason.detail, at: reason.pointer)
        }
    }

    /// Runs the stages of the format, then the status and holder stages. The check of a presentation runs the status
    /// stage for each of its credentials.
    private mutating func verify(_ received: Received, _ mode: Verifier.Mode) throws(Rejection) {
        if mode == .shape {
            var check = try received.check(verificationContext, demand: demand, mode: mode, summary: evidence.summary)
            defer { evidence = check.evidence }
            return try check.checkShape()
        }
        _ = try received.verify(verificationContext, demand: demand, mode: mode, into: &evidence)
    }

    func verdict(
        _ decision: Verdict.Decision, _ first: Reason, unsupported: UnsupportedFormat? = nil
    ) -> Verdict {
        let (trust, limits) = (verificationContext.trust, verificationContext.limits)
        let (shown, whole) = (evidence.credentials, evidence.whole)
        let chosen = decisive.isEmpty ? [evidence.failed ?? 0] : decisive
        let missing = first.code == .contextNotPinned ? received?.document : nil
        let isOverdue = verificationContext.trust.edition?.age(at: verificationContext.clock.utc) == .overdue
        let overdue = isOverdue ? [Reason(.trustStale, severity: .warning)] : []
        var verdict = Verdict(
            decision: decision, reasons: [first] + whole.findings + overdue, format: received?.format,
            credential: shown[chosen[0]].summary, alike: chosen.dropFirst().map { shown[$0].summary },
            others: shown.indices.filter { !chosen.contains($0) }.map { shown[$0].summary },
            unsigned: whole.unsigned, proofContext: whole.proofContext, trust: trust.version,
            policy: verificationContext.policy.version, status: whole.status, rule: rule,
            replay: replay.isEmpty ? [] : chosen.map { replay[$0] }, ruleNotes: ruleNotes,
            missing: missing.map {
                trust.missingContexts(of: $0, issuer: shown[chosen[0]].summary.issuer, limits: limits)
            } ?? [], unsupported: unsupported)
        // A credential has claims only after it has passed its stages, including the proof stage.
        if shown[chosen[0]].claims != nil { verdict.proven = shown[chosen[0]].summary.signed }
        return verdict
    }
}
