package import Encoding

/// What became of one rule, for people: names places and keys, never a value of a claim.
package struct RuleNote: Hashable, Sendable {
    /// What became of it.
    package enum Outcome: Hashable, Sendable {
        /// It decided.
        case decided
        /// It is not about this credential, because of that.
        case notAbout(String)
        /// It is, and that was not fulfilled.
        case unmet(String)
        /// It is, and that cannot be told: the claim is missing or of another kind.
        case untold(String)
    }

    /// The rule's id.
    package let rule: Text
    /// Whether it is a `[[deny]]` rule.
    package let denies: Bool
    /// What became of it.
    package let outcome: Outcome

    /// The same in words: `accept staff: not fulfilled: contains at /credentialSubject/zones`.
    package var sentence: String {
        let end =
            switch outcome {
            case .decided: "decided"
            case .notAbout(let what): "not about this credential (\(what))"
            case .unmet(let what): "not fulfilled: \(what)"
            case .untold(let what): "cannot be told, the claim is missing or of another kind: \(what)"
            }
        return "\(denies ? "deny" : "accept") \(rule): \(end)"
    }
}

/// What the rules are asked about.
struct PolicyCase {
    /// The verified credentials: one, or those of a presentation.
    var claims: [SignedClaims]
    /// Where each of them stands in what was received, as a JSON pointer.
    var places: [String] = []
    /// The answers of all status lists.
    var status: [StatusAnswer] = []
    /// Whether the holder proved that the credentials are his.
    var holderProven = false
    /// Whether the visitor was here within the replay window.
    var wasSeen = false

    func place(of index: Int) -> String { places.indices.contains(index) ? places[index] : "" }

    /// The answers about one credential.
    func status(of index: Int) -> [StatusAnswer] {
        let place = place(of: index) + "/"
        return status.filter { claims.count == 1 || $0.pointer.utf8.starts(with: place.utf8) }
    }
}

/// What the rules may know of the trust data.
struct PolicyKnowledge {
    /// The issuers of a group; nil when there is no such group.
    var groups: (Text) -> Set<Text>?
    /// What names mean in each pinned context.
    var names: [Text: ContextNames]
}

/// What the rules say.
struct PolicyDecision {
    enum Outcome {
        /// That rule lets it in; a warning says that it was here a moment ago.
        case accept(rule: Text, warning: Reason?)
        case reject(Reason)
    }

    let outcome: Outcome
    /// The rules that were looked at, in their order.
    let notes: [RuleNote]
}

/// Asks the rules about what one visitor presented.
struct PolicyQuestion {
    let policy: VerificationPolicy
    let rules: GatePolicy
    let clock: WallTime
    let knowledge: PolicyKnowledge
    let subject: PolicyCase
    private var notes: [RuleNote] = []
    /// Of each credential; those of linked data are looked for in its graph, so once only.
    private let types: [[Text]]

    init(
        _ rules: GatePolicy, of policy: VerificationPolicy, about subject: PolicyCase, at clock: WallTime,
        knowing knowledge: PolicyKnowledge
    ) {
        (self.rules, self.policy, self.subject, self.clock, self.knowledge) = (rules, policy, subject, clock, knowledge)
        types = subject.claims.map(\.types)
    }

    /// Decides. A presentation is let in by a rule that one of its credentials fulfils alone: the others were verified too, but
    /// what two of them say need not be about the same person. A rule that denies one of them denies the whole.
    mutating func decide() -> PolicyDecision {
        guard policy.trusts(clock) else { return reject(Reason(.clockUntrusted)) }
        if let end = rules.validUntil, end.advanced(by: policy.clockSkew) < clock.utc {
            return reject(Reason(.policyExpired))
        }
        for rule in rules.deny {
            for index in subject.claims.indices {
                guard let finding = applies(rule, to: index) else { continue }
                return reject(Reason(.policy(rule.id.string), at: at(index, finding.pointer)))
            }
        }
        var first: Reason?
        for rule in rules.accept {
            for index in subject.claims.indices {
                guard let mismatch = mismatch(rule.selector, rule.direction, index, inDoubt: false) else {
                    if let complaint = complaint(of: rule, about: index) {
                        first = first ?? complaint
                        continue
                    }
                    return accept(rule)
                }
                note(rule.id, .notAbout(mismatch))
            }
        }
        return reject(first ?? Reason(.policyNoMatch))
    }

    private func reject(_ reason: Reason) -> PolicyDecision { PolicyDecision(outcome: .reject(reason), notes: notes) }

    private mutating func accept(_ rule: AcceptRule) -> PolicyDecision {
        note(rule.id, .decided)
        guard subject.wasSeen else {
            return PolicyDecision(outcome: .accept(rule: rule.id, warning: nil), notes: notes)
        }
        switch rule.replay ?? policy.replay.action {
        case .reject: return reject(Reason(.replaySeen))
        case .flag:
            let warning = Reason(.replaySeen, severity: .warning)
            return PolicyDecision(outcome: .accept(rule: rule.id, warning: warning), notes: notes)
        case .ignore: return PolicyDecision(outcome: .accept(rule: rule.id, warning: nil), notes: notes)
        }
    }

    // MARK: - One rule and one credential

    /// Whether a deny rule applies, and by which finding; nil when it does not.
    private mutating func applies(_ rule: DenyRule, to index: Int) -> PredicateFinding? {
        if let mismatch = mismatch(rule.selector, rule.direction, index, inDoubt: true) {
            note(rule.id, .notAbout(mismatch), denies: true)
            return nil
        }
        let finding = evaluation(of: index, under: rule.selector).all(rule.when)
        guard finding.truth != .no else {
            note(rule.id, .unmet(finding.label), denies: true)
            return nil
        }
        note(rule.id, finding.truth == .yes ? .decided : .untold(finding.label), denies: true)
        return finding
    }

    /// What an accept rule that is about this credential finds wrong with it; nil when it lets it in.
    private mutating func complaint(of rule: AcceptRule, about index: Int) -> Reason? {
        let code = ReasonCode.policy(rule.id.string)
        if !rule.hours.isEmpty {
            let time = LocalTime(clock.utc, in: rules.zone)
            guard rule.hours.contains(where: { $0.contains(time) }) else {
                note(rule.id, .unmet("hours"))
                return Reason(code)
            }
        }
        let finding = evaluation(of: index, under: rule.selector).all(rule.require)
        guard finding.truth == .yes else {
            note(rule.id, finding.truth == .no ? .unmet(finding.label) : .untold(finding.label))
            return Reason(code, at: at(index, finding.pointer))
        }
        if rule.holderRequired, !subject.holderProven {
            note(rule.id, .unmet("holder"))
            return Reason(.holderProofMissing)
        }
        guard let complaint = rule.status.complaint(about: subject.status(of: index)) else { return nil }
        note(rule.id, .unmet("status (\(complaint.code))"))
        return complaint
    }

    /// Why a rule is not about this credential; nil when it is. `inDoubt`: whether it is where nobody knows, because no trust
    /// entry names the group, nobody said which way the gate leads, or the credential does not show its types or subjects:
    /// such a rule lets nobody in and keeps everybody out.
    private func mismatch(
        _ selector: CredentialSelector, _ direction: GateDirection?, _ index: Int, inDoubt: Bool
    ) -> String? {
        let claims = subject.claims[index]
        if let direction, !(policy.direction.map { $0 == direction } ?? inDoubt) { return "direction" }
        if !selector.formats.isEmpty, !selector.formats.contains(claims.format) { return "format" }
        if !selector.types.isEmpty, !selector.types.contains(where: types[index].contains),
            !(inDoubt && (types[index].isEmpty || claims.mayHideType))
        {
            return "type"
        }
        if !selector.issuers.isEmpty || !selector.groups.isEmpty {
            let isGrouped = selector.groups.contains { knowledge.groups($0)?.contains(claims.issuer) ?? inDoubt }
            guard isGrouped || selector.issuers.contains(claims.issuer) else { return "issuer" }
        }
        if !selector.contexts.isEmpty, claims.format == .ldpVC, claims.contexts != selector.contexts {
            return "contexts"
        }
        if !selector.subjects.isEmpty, !claims.subjects.ids.contains(where: selector.subjects.contains),
            !(inDoubt && !claims.subjects.areKnown)
        {
            return "subject"
        }
        if !selector.credentials.isEmpty, !selector.credentials.contains(claims.signed.digest) { return "credential" }
        return nil
    }

    /// Pointers are read under the rule's contexts, else those of the issuer's entry, else all that are pinned.
    private func evaluation(of index: Int, under selector: CredentialSelector) -> PredicateEvaluation {
        let claims = subject.claims[index]
        let contexts = selector.contexts.isEmpty ? claims.issuerContexts : selector.contexts
        return PredicateEvaluation(
            claims: claims, names: ClaimNames(under: contexts, of: knowledge.names), now: clock.utc, zone: rules.zone,
            skew: policy.clockSkew, profile: policy.profile)
    }

    private func at(_ index: Int, _ pointer: String?) -> String? { pointer.map { subject.place(of: index) + $0 } }

    private mutating func note(_ rule: Text, _ outcome: RuleNote.Outcome, denies: Bool = false) {
        notes.append(RuleNote(rule: rule, denies: denies, outcome: outcome))
    }
}
