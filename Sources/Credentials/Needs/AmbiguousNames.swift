package import Encoding
import LinkedData

/// A name in a rule that has several meanings in pinned contexts. For some credentials the rule may read a claim that
/// the author of the rule did not mean, or no claim (``ClaimNames``).
package struct AmbiguousName: Hashable, Sendable {
    /// The id of the rule that contains the name.
    package let rule: Text
    /// The path of the claim, as written in the rule.
    package let claim: String
    /// The name: a step of the path, or a text that the rule compares with the claim.
    package let name: Text
    /// The IRIs that the contexts give the name, in byte order.
    package let meanings: [Text]
    /// Whether the name may have any meaning because one of the contexts is too large to examine
    /// (``DefinedNames/areUnknown``).
    package let isUnknown: Bool
}

extension TrustStore {
    /// Returns the names in rules that are in doubt, in the order of the rules and without duplicates. A name is in
    /// doubt if neither the rule nor the entries of its issuers list contexts, or if the listed contexts disagree.
    package func namesInDoubt(in policy: GatePolicy) -> [AmbiguousName] {
        var found: [AmbiguousName] = []
        var seen: Set<AmbiguousName> = []
        let rules =
            policy.deny.map { ($0.id, $0.selector, $0.when) } + policy.accept.map { ($0.id, $0.selector, $0.require) }
        for (rule, selector, conditions) in rules where selector.contexts.isEmpty && selector.isAbout(.ldpVC) {
            let contexts = processor.definedNames(of: contexts(of: selector))
            for (claim, name) in conditions.flatMap(\.names) {
                let meanings = contexts.reduce(into: Set<Text>()) { $0.formUnion($1.meanings(of: name)) }
                let isUnknown = contexts.contains(where: \.areUnknown)
                guard meanings.count > 1 || isUnknown else { continue }
                let doubt = AmbiguousName(
                    rule: rule, claim: claim, name: name, meanings: meanings.sorted(), isUnknown: isUnknown)
                if seen.insert(doubt).inserted { found.append(doubt) }
            }
        }
        return found
    }

    /// Returns the contexts that may be listed by credentials to which the rule applies.
    private func contexts(of selector: CredentialSelector) -> [Text] {
        var named = selector.issuers
        for group in selector.groups { named += members(ofGroup: group).map(Array.init) ?? [] }
        let entries =
            selector.issuers.isEmpty && selector.groups.isEmpty
            ? Array(issuers.values) : Set(named).compactMap { issuers[$0] }
        let lists = entries.map(\.contexts)
        let known = processor.contexts.documents.keys.sorted()
        return lists.contains(nil) ? known : known.filter { url in lists.contains { $0?.contains(url) ?? true } }
    }
}

extension Predicate {
    /// The names that the predicate reads, each with the path of its claim.
    fileprivate var names: [(claim: String, name: Text)] {
        switch self {
        case .claim(let path, let test):
            var names = test.texts.filter { !$0.utf8.contains(UInt8(ascii: ":")) }
            if case .pointer(_, let tokens) = path { names = tokens + names }
            return names.map { (path.description, $0) }
        case .issuedWithin, .remaining: return []
        case .all(let inner), .any(let inner): return inner.flatMap(\.names)
        case .not(let inner): return inner.names
        }
    }
}

extension ClaimTest {
    /// The texts that the test compares with values.
    fileprivate var texts: [Text] {
        let values: [PolicyValue] =
            switch self {
            case .equals(let value), .contains(let value): [value]
            case .isOne(let values), .containsAny(let values), .containsAll(let values): values
            case .exists, .hasPrefix, .number, .date, .age: []
            }
        return values.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }
}
