package import Encoding
import LinkedData
import Reasons

/// The result of one rule, for people: it names places and keys, never a value of a claim.
package struct RuleNote: Hashable, Sendable {
    /// The result of a rule.
    package enum Outcome: Hashable, Sendable {
        /// The rule determined the verdict.
        case decided
        /// The rule does not apply to this credential; the text is the part of its selector that does not
        /// match.
        case notAbout(String)
        /// The rule applies to this credential, but the condition in the text is not fulfilled.
        case unmet(String)
        /// The rule applies to this credential, but it is unknown whether the condition in the text is
        /// fulfilled: the claim is missing or of another kind.
        case untold(String)
    }

    /// The id of the rule.
    package let rule: Text
    /// Whether the rule is a `[[deny]]` rule.
    package let denies: Bool
    /// The place, in the payload, of the credential on which the rule was evaluated, as a JSON pointer; empty
    /// for a bare credential.
    package let place: String
    /// The result of the rule.
    package let outcome: Outcome

    /// The note as text, such as `accept staff: not fulfilled: contains at /credentialSubject/zones`.
    package var sentence: String {
        let end =
            switch outcome {
            case .decided: "decided"
            case .notAbout(let what): "not about this credential (\(what))"
            case .unmet(let what): "not fulfilled: \(what)"
            case .untold(let what): "undecidable, the claim is missing or of another type: \(what)"
            }
        return "\(denies ? "deny" : "accept") \(rule): \(end)" + (place.isEmpty ? "" : " (\(place))")
    }
}

/// A verified credential on which the rules are evaluated.
struct PolicyCase {
    var claims: SignedClaims
    /// The credential's place in the received payload, as a JSON pointer; empty for a bare credential.
    /// Pointers into the credential begin at this place.
    var place = ""
    /// The answers of the status lists.
    var status: [StatusAnswer] = []
    /// The state of the holder's proof.
    var holder = HolderProof.missing
    /// Whether the credential, or its subject, was presented within the replay window.
    var wasSeen = false
    /// The finding that prevents acceptance, or is added as a warning, where no rule states what admits
    /// (``Admission``).
    var untyped: Reason?
}

/// The parts of the trust data that the rules may use.
struct PolicyKnowledge {
    /// Returns the issuers of a group; nil if no such group exists.
    var groups: (Text) -> Set<Text>?
    /// The pinned contexts, which give names their meanings; nil if no contexts are pinned.
    var pinned: JSONLDProcessor?
    /// How strictly dates are read.
    let profile: Profile
    /// The work limit of the rules.
    var work: RuleWork
}

/// The verdict that the rules give.
struct PolicyDecision {
    enum Outcome {
        /// The rule accepts what the visitor presented. `warnings` report a repeated visit, or an issuer
        /// whose entry in the trust data names no types.
        case accept(rule: Text, warnings: [Reason])
        case reject(Reason)
    }

    let outcome: Outcome
    /// The indices of the credentials to which the verdict is due. If accepted, they are all credentials that
    /// fulfil the accepting rule. If rejected, it is the one to which a deny rule applies, the one that was
    /// shown before, or the first that does not fulfil an accept rule. The list is empty if no accept rule
    /// selects any credential, if the clock is not trusted, or if the rules have expired.
    let credentials: [Int]
    /// The rules that were evaluated, in their order.
    let notes: [RuleNote]
}

/// Evaluates the rules on the credentials that one visitor presented: a single credential, or all credentials
/// of a presentation.
struct PolicyQuestion {
    let policy: VerificationPolicy
    let rules: GatePolicy
    let clock: WallTime
    let knowledge: PolicyKnowledge
    let cases: [PolicyCase]
    private var notes: [RuleNote] = []
    /// The types of each credential. Those of linked data are computed from its graph, so they are computed
    /// only once.
    private let types: [[Text]]
    /// The times at which hours must hold, at most each minute of a week. Computed once for all rules that
    /// have hours.
    private lazy var moments = clock.moments.map { LocalTime($0, in: rules.zone) }

    init(
        _ rules: GatePolicy, of policy: VerificationPolicy, about cases: [PolicyCase], at clock: WallTime,
        knowing knowledge: PolicyKnowledge
    ) {
        (self.rules, self.policy, self.cases, self.clock, self.knowledge) = (rules, policy, cases, clock, knowledge)
        types = cases.map(\.claims.types)
    }

    /// Returns the verdict of the rules on the presented credentials. A presentation is accepted by a rule
    /// that one of its credentials fulfils alone. The other credentials were verified too, but the claims of
    /// two credentials need not be about the same person. A rule that denies one credential denies the whole
    /// presentation.
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
            // Collect all fulfilling credentials. Otherwise a visitor could add a second suitable credential
            // to hide the first from the replay check.
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
        if !rule.namesWhatAdmits {
            warnings += credentials.compactMap { index in cases[index].untyped?.moved(to: at(index, nil)) }
        }
        return PolicyDecision(
            outcome: .accept(rule: rule.id, warnings: warnings), credentials: credentials, notes: notes)
    }

    // MARK: - One rule and one credential

    /// Returns the finding by which a deny rule applies; nil when it does not apply.
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

    /// Returns the reason why an accept rule that applies to this credential does not accept it; nil when it
    /// does.
    private mutating func complaint(of rule: AcceptRule, about index: Int) -> Reason? {
        let code = ReasonCode.policy(rule.id.string)
        if !rule.hours.isEmpty {
            // The hours must hold at all possible times. If it is unknown how long the machine was off, the
            // possible times include every minute since the last confirmed date.
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
        if !rule.namesWhatAdmits, let untyped = cases[index].untyped, untyped.severity == .error {
            note(rule.id, .unmet("types of its issuer"), index)
            return untyped.moved(to: at(index, nil))
        }
        guard let complaint = rule.status.complaint(about: cases[index].status) else { return nil }
        note(rule.id, .unmet("status (\(complaint.code))"), index)
        return complaint.moved(to: at(index, complaint.pointer))
    }

    /// Returns why a rule does not apply to this credential; nil when it applies. `inDoubt` is the answer
    /// where it is unknown: no trust entry names the group, the gate's direction is not configured, or the
    /// credential does not show its types or subjects. In these cases an accept rule does not apply and a
    /// deny rule does.
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

    /// Creates the evaluation of predicates for the credential at `index`. Names in pointers are read under
    /// the credential's contexts. If the rule lists contexts, these are the same.
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
