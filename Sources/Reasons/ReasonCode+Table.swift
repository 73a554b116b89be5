package import Encoding

// The groups of reason codes, and the functions that find a code in the groups.

extension ReasonCode {
    /// The codes of one section of the table, under a heading.
    package struct Group: Sendable {
        /// The heading of the group.
        package let title: String
        /// The codes of the group, in their order.
        package let codes: [ReasonCode]
    }

    /// All groups of codes. The groups of a verification come first, in the order of its stages; then the groups of a
    /// visit, of the gate's health, of the door and of `gatehouse doctor`.
    package static let groups: [Group] = [
        .accepted, .input, .kind, .shape, .trust, .contexts, .keys, .proof, .status, .rules, .transfer, .visit, .faults,
        .radioCauses, .gpioCauses, .door, .machine,
    ]

    /// The codes of all ``groups``, in order.
    package static let all: [ReasonCode] = groups.flatMap(\.codes)

    /// Returns the row of the code `text`. If `text` is `policy.` followed by the id of a rule, returns the code of
    /// that rule. Returns nil for a text that is not a code.
    package static func named(_ text: String) -> ReasonCode? {
        if let row = all.first(where: { $0.text.utf8.elementsEqual(text.utf8) }) { return row }
        guard text.utf8.starts(with: policyPrefix.utf8), text.utf8.count > policyPrefix.utf8.count else { return nil }
        return policy(named: String(text.dropFirst(policyPrefix.count)))
    }

    /// Returns the row whose code has the smallest spelling distance to `text`. The function compares `text` with the
    /// whole code, with the last part of the code, and with MOSIP's code.
    package static func nearest(to text: String) -> ReasonCode {
        let wanted = text.lowercased()
        func distance(_ row: ReasonCode) -> Int {
            // Of codes at the same distance, prefer a whole code: a mistyped code is more likely than a part of a code.
            let part = row.text.split(separator: ".").last.map { 1 + 2 * String($0).spellingDistance(to: wanted) }
            let whole = 2 * row.text.lowercased().spellingDistance(to: wanted)
            let mosip = row.mosip.map { 1 + 2 * $0.lowercased().spellingDistance(to: wanted) }
            return min(whole, part ?? whole, mosip ?? whole)
        }
        return all.min { distance($0) < distance($1) } ?? .internal
    }

    /// Returns the most specific code for a visit with the given reasons: the second reason if it refines the first,
    /// otherwise the first reason; nil without reasons.
    package static func telling(_ reasons: [ReasonCode]) -> ReasonCode? {
        let second = reasons.dropFirst().first
        return second?.refines == reasons.first?.text ? second : reasons.first
    }

    /// Returns the most specific row for the reasons of a record; nil if the first reason is not a known code.
    package static func telling(_ reasons: [Text]) -> ReasonCode? {
        let rows = reasons.prefix(2).map { named($0.string) }
        guard let first = rows.first ?? nil else { return nil }
        return telling([first] + rows.dropFirst().compactMap(\.self))
    }

    /// Returns the row under which a visit with these codes is counted: the row of ``telling(_:)``, or ``ok`` for an
    /// empty list. All rules of the policy share one row, because the operator chooses their ids and their number is
    /// unlimited. The number of counters is therefore at most the number of rows in the table.
    package static func counted(_ reasons: [ReasonCode]) -> ReasonCode {
        guard let row = telling(reasons) else { return .ok }
        return row.text.utf8.starts(with: policyPrefix.utf8) && !all.contains(row) ? policy(named: "<id>") : row
    }

    /// Returns the row under which a visit with the reasons of a record is counted: ``internal`` if the first reason
    /// is not a known code.
    package static func counted(_ reasons: [Text]) -> ReasonCode {
        guard !reasons.isEmpty else { return .ok }
        return telling(reasons).map { counted([$0]) } ?? .internal
    }
}

// MARK: - The family of the policy's rules

extension ReasonCode {
    /// The prefix of a rule's code; the rule's id follows.
    package static let policyPrefix = "policy."

    /// Returns the code of a rule of the gate's policy: `policy.` and the rule's id.
    package static func policy(_ rule: String) -> ReasonCode {
        policy(rule, "The policy's rule \(rule) does not admit this credential.")
    }

    /// Returns the code of the rule `rule` for the record of an accepted credential.
    package static func policy(accepting rule: String) -> ReasonCode {
        ReasonCode(
            policyPrefix + rule, "The policy's rule \(rule) admits this credential.", "Nothing to do.", severity: .info
        )
    }

    /// Returns the code of the rule `rule` with a meaning that fits both decisions of a rule: to reject and to admit.
    package static func policy(named rule: String) -> ReasonCode {
        policy(rule, "The policy's rule \(rule) decided: as the first reason it rejects, after ok it admits.")
    }

    private static func policy(_ rule: String, _ meaning: String) -> ReasonCode {
        ReasonCode(policyPrefix + rule, meaning, "See the rule with that id in the policy file.")
    }
}
