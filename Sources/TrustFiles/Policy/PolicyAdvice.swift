package import Credentials
import Encoding

/// Advice about rules and trust data: what the rules name but the trust data lack, and what the trust data leave to
/// the rules.
package struct PolicyAdvice: Sendable {
    /// A place in the rules or in the trust data that needs attention.
    package typealias Warning = PolicyFileError.Problem

    /// The groups, issuers, types and contexts that the rules name but the trust data lack, in the order of the
    /// rules.
    package private(set) var unknown: [Warning] = []
    /// Hints about valid rules or entries that may have an unexpected effect.
    package private(set) var hints: [Warning] = []
    private let rules: GatePolicy
    private let store: TrustStore

    /// Examines the rules together with the trust data.
    package init(_ rules: GatePolicy, by store: TrustStore) {
        (self.rules, self.store) = (rules, store)
        for rule in rules.deny { examine(rule.id, rule.selector, "the deny rule \(rule.id)") }
        for rule in rules.accept { examine(rule.id, rule.selector, "the accept rule \(rule.id)") }
        unknown.sort { ($0.line ?? 0) < ($1.line ?? 0) }
        hints = store.namesInDoubt(in: rules).map { Self.hint($0, line: rules.lines[$0.rule]) }
        examineIssuers()
    }

    /// Returns the hint about a name in a rule that several contexts define differently. The rule finds the name only
    /// in a credential whose contexts define it unambiguously.
    private static func hint(_ doubt: AmbiguousName, line: Int?) -> Warning {
        let all =
            doubt.meanings.map(\.string)
            + (doubt.isUnknown ? ["anything, because one of them is too large to examine"] : [])
        let shown = all.prefix(3).joined(separator: ", ")
        let more = all.count > 3 ? " and \(all.count - 3) more" : ""
        return Warning(
            line: line,
            message:
                "the rule \(doubt.rule) requires \(doubt.name) in \(doubt.claim), which the pinned contexts that its "
                + "credentials may use define differently: \(shown)\(more)",
            remedy:
                "List the issuer's contexts in its entry, or those of the rule, contexts = [\"…\"]; or write the claim "
                + "as a list of property IRIs.")
    }

    private mutating func examine(_ id: Text, _ selector: CredentialSelector, _ rule: String) {
        func note(_ message: String, _ remedy: String) {
            unknown.append(.init(line: rules.lines[id], message: "\(rule) \(message)", remedy: remedy))
        }
        for group in selector.groups where store.members(ofGroup: group) == nil {
            note(
                "names the group \(group), which contains no [[issuer]]",
                "Add groups = [\"\(group)\"] to an issuer, or correct the rule.")
        }
        for issuer in selector.issuers where store.issuer(issuer) == nil && !store.rootIDs.contains(issuer) {
            note(
                "names the issuer \(issuer), which has no [[issuer]]",
                "Pin it (gatehouse trust pin issuer), or correct the rule.")
        }
        for type in selector.types where !isIssued(type, selector) {
            let whom = selector.issuers.isEmpty && selector.groups.isEmpty ? "no [[issuer]]" : "none of its issuers"
            note(
                "names the type \(type), which \(whom) may issue",
                "Add it to the types of an [[issuer]], or correct the rule.")
        }
        for context in selector.contexts where !store.pins(context) {
            note(
                "requires the context \(context), which is not pinned",
                "Pin it (gatehouse trust pin context), or correct the rule.")
        }
    }

    /// Returns whether one of the issuers that the rule selects may issue credentials of the type `type`. A root
    /// without an entry may issue mdocs of any docType, unless an issuer uses it for the signers of its tokens.
    private func isIssued(_ type: Text, _ selector: CredentialSelector) -> Bool {
        let named = Set(selector.issuers).union(selector.groups.flatMap { store.members(ofGroup: $0) ?? [] })
        let isOpen = selector.issuers.isEmpty && selector.groups.isEmpty
        let entries = store.listedIssuers.filter { isOpen || named.contains($0.id) }
        if entries.contains(where: { $0.types?.contains(type) ?? true }) { return true }
        return store.listedRoots.contains { root in
            store.issuer(root.id) == nil && (isOpen || named.contains(root.id)) && store.use(of: root).tokens.isEmpty
        }
    }

    /// Adds a hint for each issuer without types, which may issue any type. If an accept rule names no type either,
    /// nothing limits which credentials are admitted.
    private mutating func examineIssuers() {
        let open = rules.accept.first { !$0.namesWhatAdmits }?.id
        for issuer in store.listedIssuers where issuer.types == nil {
            let more = open.map { ", and the accept rule \($0) does not name what it admits either" } ?? ""
            hints.append(
                .init(
                    line: open.flatMap { rules.lines[$0] }, message: "the [[issuer]] \(issuer.id) has no types\(more)",
                    remedy:
                        "Add the types that it issues for this gate to its entry, types = [\"…\"]; gatehouse trust "
                        + "needs FILE prints the line."))
        }
    }
}
