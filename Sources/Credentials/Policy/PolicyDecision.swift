package import Encoding
import LinkedData

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
    /// Where the credential stands that the rule was asked about, as a JSON pointer; empty for a bare one.
    package let place: String
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
        return "\(denies ? "deny" : "accept") \(rule): \(end)" + (place.isEmpty ? "" : " (\(place))")
    }
}

/// What the rules are asked about: a verified credential and what is known of it.
struct PolicyCase {
    var claims: SignedClaims
    /// Where it stands in what was received, as a JSON pointer; empty for a bare one. Pointers into it begin there.
    var place = ""
    /// The answers of its status lists.
    var status: [StatusAnswer] = []
    /// What shows that the holder presents it.
    var holder = HolderProof.missing
    /// Whether it, or its subject, was here within the replay window.
    var wasSeen = false
    /// What keeps it from being let in, or is to be told of it, where a rule does not say what admits (``Admission``).
    var untyped: Reason?
}

/// What the rules may know of the trust data.
struct PolicyKnowledge {
    /// The issuers of a group; nil when there is no such group.
    var groups: (Text) -> Set<Text>?
    /// The pinned contexts, under which names are read; nil where there are none.
    var pinned: JSONLDProcessor?
    /// How strictly dates are read.
    let profile: Profile
    /// What the rules may look at.
    var work: RuleWork
}

/// What the rules say.
struct PolicyDecision {
    enum Outcome {
        /// That rule lets it in; warnings say that it was here a moment ago, or that its issuer's entry names no types.
        case accept(rule: Text, warnings: [Reason])
        case reject(Reason)
    }

    let outcome: Outcome
    /// The credentials that decided: all that fulfil the accepting rule, or the one that a deny rule is about or that an accept rule
    /// finds wanting. Empty where no rule is about any.
    let credentials: [Int]
    /// The rules that were looked at, in their order.
    let notes: [RuleNote]
}

/// Asks the rules about what one visitor presented: one credential, or those of a presentation.
struct PolicyQuestion {
    let policy: VerificationPolicy
    let rules: GatePolicy
    let clock: WallTime
    let knowledge: PolicyKnowledge
    let cases: [PolicyCase]
    private var notes: [RuleNote] = []
    /// Of each credential; those of linked data are looked for in its graph, so once only.
    private let types: [[Text]]
    /// When hours must hold, each minute of a week at most: once for all rules that have any.
    private lazy var moments = clock.moments.map { LocalTime($0, in: rules.zone) }

    init(
        _ rules: GatePolicy, of policy: VerificationPolicy, about cases: [PolicyCase], at clock: WallTime,
        knowing knowledge: PolicyKnowledge
    ) {
        (self.rules, self.policy, self.cases, self.clock, self.knowledge) = (rules, policy, cases, clock, knowledge)
        types = cases.map(\.claims.types)
    }

    /// Decides. A presentation is let in by a rule that one of its credentials fulfils alone: the others were verified too, but
    /// what two of them say need not be about the same person. A rule that denies one of them denies the whole.
    mutating func decide() -> PolicyDecision {
        guard policy.trusts(clock) else { return reject(Reason(.clockUntrusted)) }
        if let end = rules.validUntil, end.advanced(by: policy.clockSkew) < clock.utc {
            return reject(Reason(.policyExpired))
        }
        for rule in rules.deny {
            for index in cases.indices {
                guard let finding = applies(rule, to: index) else { continue }
                return reject(Reason(.policy(rule.id.string), at: at(index, finding.pointer)), for: [index])
            }
        }
        var first: (complaint: Reason, index: Int)?
        for rule in rules.accept {
            // All of them: who brings a second credential that would do must not so keep it from being known again.
            var fulfilling: [Int] = []
            for index in cases.indices {
                if let mismatch = mismatch(rule.selector, rule.direction, index, inDoubt: false) {
                    note(rule.id, .notAbout(mismatch), index)
                } else if let complaint = complaint(of: rule, about: index) {
                    first = first ?? (complaint, index)
                } else {
                    note(rule.id, .decided, index)
                    fulfilling.append(index)
                }
            }
            if !fulfilling.isEmpty { return accept(rule, for: fulfilling) }
        }
        return reject(first?.complaint ?? Reason(.policyNoMatch), for: first.map { [$0.index] } ?? [])
    }

    private func reject(_ reason: Reason, for credentials: [Int] = []) -> PolicyDecision {
        PolicyDecision(outcome: .reject(reason), credentials: credentials, notes: notes)
    }

    private func accept(_ rule: AcceptRule, for credentials: [Int]) -> PolicyDecision {
        var warnings: [Reason] = []
        if let seen = credentials.first(where: { cases[$0].wasSeen }) {
            switch rule.replay ?? policy.replay.action {
            case .reject: return reject(Reason(.replaySeen, at: at(seen, nil)), for: [seen])
            case .flag: warnings.append(Reason(.replaySeen, at: at(seen, nil), severity: .warning))
            case .ignore: break
            }
        }
        if !rule.saysWhatAdmits {
            warnings += credentials.compactMap { index in cases[index].untyped?.moved(to: at(index, nil)) }
        }
        return PolicyDecision(
            outcome: .accept(rule: rule.id, warnings: warnings), credentials: credentials, notes: notes)
    }

    // MARK: - One rule and one credential

    /// Whether a deny rule applies, and by which finding; nil when it does not.
    private mutating func applies(_ rule: DenyRule, to index: Int) -> PredicateFinding? {
        if let mismatch = mismatch(rule.selector, rule.direction, index, inDoubt: true) {
            note(rule.id, .notAbout(mismatch), index, denies: true)
            return nil
        }
        let finding = evaluation(of: index, under: rule.selector).all(rule.when)
        guard finding.truth != .no else {
            note(rule.id, .unmet(finding.label), index, denies: true)
            return nil
        }
        note(rule.id, finding.truth == .yes ? .decided : .untold(finding.label), index, denies: true)
        return finding
    }

    /// What an accept rule that is about this credential finds wrong with it; nil when it lets it in.
    private mutating func complaint(of rule: AcceptRule, about index: Int) -> Reason? {
        let code = ReasonCode.policy(rule.id.string)
        if !rule.hours.isEmpty {
            // What may be outside of the hours is: where it is not known how long the machine was off, at no time since.
            let isWithin = moments.allSatisfy { time in rule.hours.contains { $0.contains(time) } }
            guard isWithin else {
                note(rule.id, .unmet("hours"), index)
                return Reason(code)
            }
        }
        let finding = evaluation(of: index, under: rule.selector).all(rule.require)
        guard finding.truth == .yes else {
            note(rule.id, finding.truth == .no ? .unmet(finding.label) : .untold(finding.label), index)
            return Reason(code, at: at(index, finding.pointer))
        }
        if rule.holderRequired, let complaint = cases[index].holder.complaint {
            note(rule.id, .unmet("holder"), index)
            return Reason(complaint)
        }
        if !rule.saysWhatAdmits, let untyped = cases[index].untyped, untyped.severity == .error {
            note(rule.id, .unmet("types of its issuer"), index)
            return untyped.moved(to: at(index, nil))
        }
        guard let complaint = rule.status.complaint(about: cases[index].status) else { return nil }
        note(rule.id, .unmet("status (\(complaint.code))"), index)
        return complaint.moved(to: at(index, complaint.pointer))
    }

    /// Why a rule is not about this credential; nil when it is. `inDoubt`: whether it is where nobody knows, because no trust
    /// entry names the group, nobody said which way the gate leads, or the credential does not show its types or subjects:
    /// such a rule lets nobody in and keeps everybody out.
    private func mismatch(
        _ selector: CredentialSelector, _ direction: GateDirection?, _ index: Int, inDoubt: Bool
    ) -> String? {
        let claims = cases[index].claims
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
        if !selector.contexts.isEmpty, claims.format == .ldpVC, !claims.contexts.are(selector.contexts),
            !(inDoubt && claims.contexts.begin(with: selector.contexts))
        {
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

    /// Names in pointers are read under the credential's contexts, which are the rule's where it lists any.
    private func evaluation(of index: Int, under selector: CredentialSelector) -> PredicateEvaluation {
        let claims = cases[index].claims
        let names = ClaimNames(
            of: claims, listed: selector.contexts, pinned: knowledge.pinned, work: knowledge.work)
        return PredicateEvaluation(
            claims: claims, names: names, now: clock.utc, zone: rules.zone, skew: policy.clockSkew,
            profile: knowledge.profile)
    }

    private func at(_ index: Int, _ pointer: String?) -> String? {
        let place = cases[index].place + (pointer ?? "")
        return place.isEmpty ? pointer : place
    }

    private mutating func note(_ rule: Text, _ outcome: RuleNote.Outcome, _ index: Int, denies: Bool = false) {
        notes.append(RuleNote(rule: rule, denies: denies, place: cases[index].place, outcome: outcome))
    }
}
