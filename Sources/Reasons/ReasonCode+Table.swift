package import Encoding

// The table as a whole, and lookups in it.

extension ReasonCode {
    /// The codes of one section of the table, under a heading.
    package struct Group: Sendable {
        /// The heading of the group.
        package let title: String
        /// The codes of the group, in their order.
        package let codes: [ReasonCode]
    }

    /// Every code: first those of a verification, in the order of its stages, then those of a visit, of the
    /// gate's health, of the door and of `gatehouse doctor`.
    package static let groups: [Group] = [
        .accepted, .input, .kind, .shape, .trust, .contexts, .keys, .proof, .status, .rules, .transfer, .visit, .faults,
        .radioCauses, .gpioCauses, .door, .machine,
    ]

    /// The codes of ``groups``, one after the other.
    package static let all: [ReasonCode] = groups.flatMap(\.codes)

    /// Returns the row of the code `text`. For `policy.` and the id of a rule, returns a row of the family
    /// `policy`. Returns nil for a text that is no code.
    package static func named(_ text: String) -> ReasonCode? {
        if let row = all.first(where: { $0.text.utf8.elementsEqual(text.utf8) }) { return row }
        guard text.utf8.starts(with: policyPrefix.utf8), text.utf8.count > policyPrefix.utf8.count else { return nil }
        return policy(named: String(text.dropFirst(policyPrefix.count)))
    }

    /// Returns the row whose code has the smallest spelling distance to `text`. The whole code, its last part
    /// and MOSIP's code for it are compared.
    package static func nearest(to text: String) -> ReasonCode {
        let wanted = text.lowercased()
        func distance(_ row: ReasonCode) -> Int {
            // Of codes at the same distance, prefer a whole code: a mistyped code is more likely than a
            // remembered part of one.
            let part = row.text.split(separator: ".").last.map { 1 + 2 * String($0).spellingDistance(to: wanted) }
            let whole = 2 * row.text.lowercased().spellingDistance(to: wanted)
            let mosip = row.mosip.map { 1 + 2 * $0.lowercased().spellingDistance(to: wanted) }
            return min(whole, part ?? whole, mosip ?? whole)
        }
        return all.min { distance($0) < distance($1) } ?? .internal
    }

    /// Returns the most specific row for a visit with the given reasons: the row of the first reason, or that
    /// of the second if it refines the first. Returns nil if the first reason is no code of this version.
    package static func telling(_ reasons: [Text]) -> ReasonCode? {
        let rows = reasons.prefix(2).map { named($0.string) }
        guard let first = rows.first ?? nil else { return nil }
        guard let second = rows.last ?? nil, second.refines == first.text else { return first }
        return second
    }

    /// Returns the row under which a visit with these codes is counted. It is the row of ``telling(_:)``,
    /// with all rules of the policy as one row, because the operator chooses their ids and their number is
    /// unlimited. Without codes it is ``ok``. So there are never more counters than rows in the table.
    package static func counted(_ reasons: [Text]) -> ReasonCode {
        guard !reasons.isEmpty else { return .ok }
        guard let row = telling(reasons) else { return .internal }
        return row.text.utf8.starts(with: policyPrefix.utf8) && !all.contains(row) ? policy(named: "<id>") : row
    }
}

// MARK: - The family of the policy's rules

extension ReasonCode {
    /// The prefix of a rule's code; the rule's id follows.
    package static let policyPrefix = "policy."

    /// Returns the code of a rule of the gate's own policy: `policy.` and the rule's id.
    package static func policy(_ rule: String) -> ReasonCode {
        policy(rule, "The policy's rule \(rule) does not admit this credential.")
    }

    /// Returns the code of the rule `rule` for the record of a credential that the rule accepts.
    package static func policy(accepting rule: String) -> ReasonCode {
        ReasonCode(
            policyPrefix + rule, "The policy's rule \(rule) admits this credential.", "Nothing to do.", severity: .info
        )
    }

    /// Returns the code of the rule `rule` if it is unknown whether the rule accepted or refused.
    package static func policy(named rule: String) -> ReasonCode {
        policy(rule, "The policy's rule \(rule) decided: as the first reason it rejects, after ok it admits.")
    }

    private static func policy(_ rule: String, _ meaning: String) -> ReasonCode {
        ReasonCode(policyPrefix + rule, meaning, "See the rule with that id in the policy file.")
    }
}
