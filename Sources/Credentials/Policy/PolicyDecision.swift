package import Encoding
import LinkedData
import Reasons

/// The result of one rule, for display. The result names places and keys, never a value of a claim.
package struct RuleNote: Hashable, Sendable {
    /// The result of a rule.
    package enum Outcome: Hashable, Sendable {
        /// The rule determined the verdict.
        case decided
        /// The rule does not apply to this credential. The text names the part of the selector that does not match.
        case notAbout(String)
        /// The rule applies to this credential, but the condition in the text is not fulfilled.
        case unmet(String)
        /// The rule applies to this credential, but the condition in the text is undecided: the claim is missing or of
        /// another kind.
        case untold(String)
    }

    /// The id of the rule.
    package let rule: Text
    /// Whether the rule is a `[[deny]]` rule.
    package let denies: Bool
    /// The place of the evaluated credential in the payload, as a JSON pointer. The pointer is empty for a bare
    /// credential.
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
    /// The place of the credential in the received payload, as a JSON pointer. The pointer is empty for a bare
    /// credential. Pointers into the credential begin at this place.
    var place = ""
    /// The answers of the status lists.
    var status: [StatusAnswer] = []
    /// The state of the holder's proof.
    var holder = HolderProof.missing
    /// Whether the credential or its subject was presented within the replay window.
    var wasSeen = false
    /// The finding that prevents acceptance, or is added as a warning, if no rule states what it admits
    /// (``Admission``).
    var untyped: Reason?
}

/// The parts of the trust data that the rules may read.
struct PolicyKnowledge {
    /// Returns the issuers of a group; nil if the group does not exist.
    var groups: (Text) -> Set<Text>?
    /// The pinned contexts, which give names their meanings; nil if no contexts are pinned.
    var pinned: JSONLDProcessor?
    /// The profile for reading dates.
    let profile: Profile
    /// The work limit of the rules.
    var work: RuleWork
}

/// The verdict of the rules.
struct PolicyDecision {
    enum Outcome {
        /// The rule accepts the presented credentials. `warnings` report a repeated visit, or an issuer whose entry in
        /// the trust data names no types.
        case accept(rule: Text, warnings: [Reason])
        case reject(Reason)
    }

    let outcome: Outcome
    /// The indices of the credentials that determine the verdict. For an acceptance: all credentials that fulfil the
    /// accepting rule. For a rejection: the credential to which a deny rule applies, the repeated credential, or the
    /// first credential that does not fulfil an accept rule. The list is empty if no accept rule selects a credential,
    /// if the clock is not trusted, or if the rules have expired.
    let credentials: [Int]
    /// The rules that were evaluated, in their order.
    let notes: [RuleNote]
}

/// The evaluation of the rules on the credentials of one visitor: a single credential, or all credentials of a
/// presentation.
struct PolicyQuestion {
    let policy: VerificationPolicy
    let rules: GatePolicy
    let clock: WallTime
    let knowledge: PolicyKnowledge
    let cases: [PolicyCase]
    private var notes: [RuleNote] = []
    /// The types of each credential. They are computed once, because the types of linked data require its graph.
    private let types: [[Text]]
    /// The possible local times, at most one for each minute of a week. The hours of an accept rule must contain all of
    /// them. The times are computed once for all rules.
    private lazy var moments = clock.moments.map { LocalTime($0, in: rules.zone) }

    init(
        _ rules: GatePolicy, of policy: VerificationPolicy, about cases: [PolicyCase], at clock: WallTime,
        knowing knowledge: PolicyKnowledge
    ) {
        (self.rules, self.policy, self.cases, self.clock, self.knowledge) = (rules, policy, cases, clock, knowledge)
        types = cases.map(\.claims.types)
    }

    /// Returns the verdict of the rules on the presented credentials. A rule accepts a presentation only if one of its
    /// credentials alone fulfils the rule, because two credentials may be about different persons. A rule that denies
    /// one credential denies the whole presentation.
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
            // Collect all fulfilling credentials. If only the first counted, a visitor could hide a credential from the
            // replay check by adding a second suitable credential.
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

    /// Returns the finding by which a deny rule applies; nil if the rule does not apply.
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

    /// Returns the reason why an accept rule that applies to this credential does not accept it; nil if the rule
    /// accepts the credential.
    private mutating func complaint(of rule: AcceptRule, about index: Int) -> Reason? {
        let code = ReasonCode.policy(rule.id.string)
        if !rule.hours.isEmpty {
            // The hours must contain all possible times. If the duration of a power-off is unknown, the possible times
            // include every minute since the last confirmed date.
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

    /// Returns the part of the rule that does not match this credential; nil if the rule applies. A match is unknown if
    /// no trust entry names the group, the gate's direction is not configured, or the credential does not show its
    /// types or subjects. `inDoubt` is the answer in place of an unknown match, so in doubt an accept rule does not
    /// apply and a deny rule does.
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

    /// Creates the evaluation of predicates for the credential at `index`. Names in pointers are read under the
    /// credential's contexts, which equal the contexts of a rule that lists contexts.
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
