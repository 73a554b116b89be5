import Encoding

/// What the names in a rule's pointers mean: the contexts are chosen by whoever writes the rules or the trust data, never by the
/// holder of a credential.
struct ClaimNames {
    /// The names that belong together: those of the contexts that a rule or the issuer's entry lists or, where neither does, of
    /// each pinned context by itself.
    private let groups: [[ContextNames]]
    /// Why no name has a meaning.
    private let obstacle: String?

    /// Names under these contexts; nil: under all that are pinned.
    init(under contexts: [Text]?, of pinned: [Text: ContextNames]) {
        guard let contexts else {
            groups = pinned.keys.sorted().compactMap { pinned[$0].map { [$0] } }
            obstacle = nil
            return
        }
        let known = contexts.compactMap { pinned[$0] }
        groups = [known]
        obstacle = known.count == contexts.count ? nil : "a context that the rule is written under is not pinned"
    }

    /// The properties that a name can stand for, or why that cannot be told.
    enum Meaning {
        case properties(Set<Text>)
        case unknown(String)
    }

    /// What a name stands for.
    func meaning(of name: Text) -> Meaning {
        if let obstacle { return .unknown(obstacle) }
        var properties: Set<Text> = []
        var undefined: [[ContextNames]] = []
        for group in groups {
            let found = group.reduce(into: Set<Text>()) { $0.formUnion($1.meanings(of: name)) }
            guard !found.isEmpty else {
                undefined.append(group)
                continue
            }
            if group.contains(where: { $0.isReverse(name) }) {
                return .unknown("the context reads this name backwards")
            }
            if isShared(found, of: name, in: group) { return .unknown(Self.shared) }
            properties.formUnion(found)
        }
        for group in undefined {
            let vocabulary = group.reduce(into: Set<Text>()) { $0.formUnion($1.vocabulary) }
            let found = Set(vocabulary.map { Text($0.string + name.string) })
            if isShared(found, of: name, in: group) { return .unknown(Self.shared) }
            properties.formUnion(found)
        }
        return properties.isEmpty ? .unknown("no pinned context defines this name") : .properties(properties)
    }

    /// The names of an IRI.
    func names(of iri: Text) -> Set<Text> {
        groups.joined().reduce(into: []) { $0.formUnion($1.names(of: iri)) }
    }

    private func isShared(_ meanings: Set<Text>, of name: Text, in group: [ContextNames]) -> Bool {
        meanings.contains { meaning in group.contains { $0.shares(meaning, of: name) } }
    }

    private static let shared = "the context has another name with the same meaning: use property IRIs"
}
