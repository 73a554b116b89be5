import Encoding
import LinkedData

/// The reading of signed statements along the path of a rule. Each step starts from all current nodes at once. If one
/// of the nodes states nothing, the result is partial: the values of the other nodes do not count as complete.
struct StatementReading {
    private let graph: StatementGraph
    private let names: ClaimNames
    private var resolver: NameResolver?
    /// The nodes and values at the end of the steps so far.
    private var branches: [Branch]
    /// The name and the property for which ``doubt(about:meaning:)`` last found no doubt; nil if there is none.
    private var settled: (Text, Text)?
    /// The number of branches before the last step.
    private var sources = 1
    /// Whether all signed values at the current branches are certainly shown.
    private var isWhole = true
    /// Whether a node stated nothing in a step, so that the values of the other nodes are incomplete.
    private var isPartial = false

    /// One node or value, with the meanings of names at its place.
    private struct Branch {
        let term: Term
        /// The place of the node; nil for the path of property IRIs, and for an id.
        var place: NameResolver.Place?
        /// The scoped contexts of the node, if a step has led to further members of the same node (`@nest`); otherwise
        /// nil.
        var node: NameResolver.Node?
        /// The meanings of the names with which the value is compared.
        var texts: TextMeaning?
        /// The meaning of the next token of the path as the key of a map; `none` if the value is no map.
        var keys = PropertyMeaning.Keys.none
    }

    /// The identity of a branch: its term and its place. At another place of the same node, names may mean other
    /// properties.
    private struct Target: Hashable {
        let term: Term
        let place: NameResolver.Place?
    }

    /// The reason why the rest of a path cannot be read.
    private struct Unknown: Error {
        let why: String
        init(_ why: String) { self.why = why }
        static let withheld = Unknown("the holder chooses what to show")
    }

    init(_ graph: StatementGraph, _ names: ClaimNames) {
        (self.graph, self.names, resolver) = (graph, names, names.resolver)
        branches = [Branch(term: graph.root, place: names.resolver?.document)]
    }

    /// Returns the claim at the end of a pointer that starts at the credential. A step is a name of a property, of the
    /// id or of the types, an index in an ordered list, or a language.
    mutating func read(pointer tokens: [Text]) -> ClaimFinding {
        do throws(Unknown) {
            for (position, token) in tokens.enumerated() {
                if let json = try literal() { return SignedText(json).read(Array(tokens[position...]), in: .ldpVC) }
                if let index = ClaimIndex(token)?.value {
                    guard try enterList(at: index) else { return .absent }
                } else {
                    try step(token)
                }
                guard !branches.isEmpty else { return isWhole ? .absent : .unknown(Unknown.withheld.why) }
            }
            if branches.contains(where: { $0.node != nil }) { throw Unknown("a name for @nest has no value") }
            return .value(value())
        } catch { return .unknown(error.why) }
    }

    /// Returns the claim at the end of a path of property IRIs.
    mutating func read(properties: [Text]) -> ClaimFinding {
        do throws(Unknown) {
            for property in properties {
                try follow { reading, branch throws(Unknown) in
                    try reading.values(of: property, at: branch).map { Branch(term: $0) }
                }
                guard !branches.isEmpty else { return isWhole ? .absent : .unknown(Unknown.withheld.why) }
            }
            return .value(value())
        } catch { return .unknown(error.why) }
    }

    // MARK: - Steps

    /// Replaces each branch by the branches to which a step leads.
    private mutating func follow(
        _ next: (inout StatementReading, Branch) throws(Unknown) -> [Branch]
    ) throws(Unknown) {
        var found: [Branch] = []
        var (seen, isMissing): (Set<Target>, Bool) = ([], false)
        for branch in branches {
            let following = try next(&self, branch)
            guard names.work.take(1 + following.count) else { throw Unknown("too many nodes for the gate's rules") }
            if following.isEmpty {
                isMissing = true
                // The statements in a named graph are not read, so a node that names a graph may have further values.
                if graph.isGraph(branch.term) { isWhole = false }
            }
            found += following.filter { seen.insert(Target(term: $0.term, place: $0.place)).inserted }
        }
        if isMissing { isPartial = true }
        sources = branches.count
        branches = found
    }

    /// Returns the values of a property. Notes whether further values may be withheld.
    private mutating func values(of property: Text, at branch: Branch) throws(Unknown) -> [Term] {
        if mayHide(property, at: branch.term) { isWhole = false }
        let values = graph.values(of: property, at: branch.term)
        if !values.isEmpty, graph.subjectsInside.contains(branch.term) {
            throw Unknown("a credential inside is about the same: the issuer's entry may allow embedded-claims")
        }
        return values
    }

    private func mayHide(_ property: Text, at node: Term) -> Bool {
        graph.mandatory != nil && node.lexicalForm == nil && !graph.isComplete(property, at: node)
    }

    private mutating func step(_ name: Text) throws(Unknown) {
        if branches.contains(where: { $0.keys != .none }) { return try enterMap(at: name) }
        let meanings = names.meanings(of: name)
        try follow { reading, branch throws(Unknown) in
            if case .literal = branch.term { return try reading.part(name, of: branch) }
            if reading.graph.states(RDF.rest, at: branch.term) { throw Unknown("a list is read by an index") }
            guard let node = try reading.node(branch) else { return [] }
            return try reading.member(name, of: branch, in: node, rivals: meanings)
        }
    }

    /// Returns the scoped contexts of a node; nil for an id.
    private mutating func node(_ branch: Branch) throws(Unknown) -> NameResolver.Node? {
        if let node = branch.node { return node }
        // An id has no members.
        guard let place = branch.place else { return nil }
        let types = graph.types(of: branch.term)
        if branch.term != graph.root, types.contains(CredentialVocabulary.verifiableCredentialType) {
            throw Unknown("an embedded credential may have its own contexts")
        }
        let node = try resolve { resolver throws(JSONLDError) in try resolver.node(at: place, types: types) }
        guard let node else { throw Unknown("a type of the node has two names with type-scoped contexts") }
        return node
    }

    private mutating func resolve<Value>(
        _ body: (inout NameResolver) throws(JSONLDError) -> Value
    ) throws(Unknown) -> Value {
        guard var resolver else { throw Unknown(names.obstacle) }
        // Remove the resolver from the property while the resolver is used, so that its cache is not copied for each
        // node.
        self.resolver = nil
        defer { self.resolver = resolver }
        do throws(JSONLDError) { return try body(&resolver) } catch {
            throw Unknown("the contexts are too large, or reject the name")
        }
    }

    private mutating func member(
        _ name: Text, of branch: Branch, in node: NameResolver.Node, rivals: Set<Text>
    ) throws(Unknown) -> [Branch] {
        let meaning = try resolve { resolver throws(JSONLDError) in try resolver.meaning(of: name, in: node) }
        switch meaning {
        case .property(let property):
            if property.isReverse { throw Unknown("the context defines this name as a reverse property") }
            try refuse(rivals, besides: property.iri, at: branch.term)
            let values = try values(of: property.iri, at: branch)
            if values.isEmpty, names.isOpen { throw Unknown("the document contains inline contexts") }
            if values.isEmpty, names.mayBeKeyword(name) { throw Unknown(ClaimNames.disagreement) }
            if !values.isEmpty, let doubt = doubt(about: name, meaning: property.iri) { throw Unknown(doubt) }
            return values.map { Branch(term: $0, place: property.values, texts: property.texts, keys: property.keys) }
        case .id, .types:
            try refuse(rivals, besides: nil, at: branch.term)
            if let doubt = names.doubt(aboutKeyword: name) { throw Unknown(doubt) }
            guard case .types(let texts) = meaning else {
                return branch.term.iri == nil ? [] : [Branch(term: branch.term)]
            }
            return try values(of: RDF.type, at: branch).map { Branch(term: $0, texts: texts) }
        case .nothing:
            try refuse(rivals, besides: nil, at: branch.term)
            if rivals.isEmpty || names.isFixed || names.isOpen || names.mayBeKeyword(name) {
                throw Unknown("no context of the credential defines this name")
            }
            return []
        case .nest(let inner):
            try refuse(rivals, besides: nil, at: branch.term)
            return [Branch(term: branch.term, place: branch.place, node: inner)]
        case .value, .unreadable: throw Unknown("the name does not denote a property")
        }
    }

    /// Returns why the name `name` may not mean `property`; nil if that is certain. Keeps a certain answer, because the
    /// next node of the credential's graph usually asks the same question (``ClaimNames/doubt(about:meaning:)``).
    private mutating func doubt(about name: Text, meaning property: Text) -> String? {
        if let settled, settled == (name, property) { return nil }
        let doubt = names.doubt(about: name, meaning: property)
        if doubt == nil { settled = (name, property) }
        return doubt
    }

    /// Throws if the node states, or may state, another property that the name could mean.
    private func refuse(_ rivals: Set<Text>, besides property: Text?, at node: Term) throws(Unknown) {
        for rival in rivals where rival != property {
            if graph.states(rival, at: node) { throw Unknown(ClaimNames.disagreement) }
            if mayHide(rival, at: node) { throw Unknown.withheld }
        }
    }

    /// Reads the next token as the key of a map, that is, of an object whose keys are not names. Replaces the branches
    /// by the texts in the language `key`. Throws for a map with other keys than languages.
    private mutating func enterMap(at key: Text) throws(Unknown) {
        guard branches.allSatisfy({ $0.keys == .languages && $0.term.lexicalForm != nil }) else {
            throw Unknown("index keys, ids and types of a map are not read")
        }
        // With several nodes the result is unknown: the branches do not show which node has which text, so a node may
        // lack the language.
        guard sources == 1 else { throw Unknown("several nodes have texts by language") }
        let language = key == "@none" ? nil : key
        branches = branches.filter { branch in
            if case .literal(let literal) = branch.term { literal.language == language } else { false }
        }.map { Branch(term: $0.term) }
    }

    /// Returns the member `name` of a literal: its text if `name` means `@value`; nothing if `name` means a property.
    private mutating func part(_ name: Text, of branch: Branch) throws(Unknown) -> [Branch] {
        guard case .literal(let literal) = branch.term, literal.datatype != RDF.json else {
            throw Unknown("one of several values is JSON")
        }
        guard let node = try node(branch) else { return [] }
        let meaning = try resolve { resolver throws(JSONLDError) in try resolver.meaning(of: name, in: node) }
        switch meaning {
        case .value: return [Branch(term: branch.term)]
        case .property where !mayBeKey(name, of: literal): return []
        default: throw Unknown("the name does not denote a property")
        }
    }

    /// Returns whether a name may lead to a text under other contexts, as the text's language or as another name for
    /// `@value`.
    private func mayBeKey(_ name: Text, of literal: Literal) -> Bool {
        if names.isFixed { return false }
        let isLanguage = literal.language.map { $0 == name } ?? (name == "@none")
        return isLanguage || names.mayBeKeyword(name)
    }

    // MARK: - Lists and JSON

    /// Returns the JSON of the only branch; nil if the branch is not a JSON literal.
    private func literal() throws(Unknown) -> JSON? {
        guard branches.count == 1, case .literal(let literal) = branches[0].term, literal.datatype == RDF.json else {
            return nil
        }
        guard isWhole, !isPartial, let json = try? JSON.parse(Array(literal.value.utf8)) else {
            throw Unknown("the JSON may be one of several values")
        }
        return json
    }

    /// Enters an element of an ordered list. Returns false if the list is shorter.
    private mutating func enterList(at index: Int) throws(Unknown) -> Bool {
        guard isWhole, !isPartial, branches.count == 1, let elements = graph.list(at: branches[0].term) else {
            throw Unknown("an index reads ordered lists only")
        }
        guard names.work.take(elements.count) else { throw Unknown("too many nodes for the gate's rules") }
        guard elements.indices.contains(index) else { return false }
        let list = branches[0]
        branches = [Branch(term: elements[index], place: list.place, texts: list.texts, keys: list.keys)]
        return true
    }

    private func value() -> ClaimValue {
        func value(_ branch: Branch, _ term: Term) -> ClaimValue { ClaimValue(term, names: names, branch.texts) }
        let list = branches.count == 1 && !isPartial ? graph.list(at: branches[0].term) : nil
        var values: [ClaimValue]
        if let list {
            // A list within a list is not comparable.
            values = list.map { graph.list(at: $0) == nil ? value(branches[0], $0) : .other }
        } else {
            var seen: Set<Term> = []
            values = branches.filter { seen.insert($0.term).inserted }.map { value($0, $0.term) }
        }
        if isPartial { values.append(.other) }
        if !isWhole { values.append(.hidden) }
        return values.count == 1 && list == nil ? values[0] : .list(values)
    }
}

extension StatementGraph {
    /// Returns the elements of an ordered list (RDF 1.1 Semantics section D.2) that begins at a node; nil if no
    /// complete, well-formed list begins at the node.
    func list(at node: Term) -> [Term]? {
        if node == .iri(RDF.nil) { return [] }
        guard case .blank = node, states(RDF.rest, at: node) else { return nil }
        var (elements, cell, seen): ([Term], Term, Set<Term>) = ([], node, [])
        while cell != .iri(RDF.nil) {
            let (first, rest) = (values(of: RDF.first, at: cell), values(of: RDF.rest, at: cell))
            guard first.count == 1, rest.count == 1, seen.insert(cell).inserted else { return nil }
            elements.append(first[0])
            cell = rest[0]
        }
        return elements
    }
}
