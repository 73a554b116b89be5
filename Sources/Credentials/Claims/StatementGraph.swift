import Encoding
import LinkedData

/// The signed statements of one document, by node and property. A lookup by IRI returns all signed values of a
/// property, whatever name the document uses for the property.
package struct StatementGraph: Sendable {
    /// All statements of the document.
    let dataset: Dataset
    /// The node of the outermost object: the credential or presentation.
    let root: Term
    /// The positions in ``dataset`` of the statements that the holder cannot withhold; nil if the holder can withhold
    /// nothing.
    var mandatory: Set<Int>?
    /// Whether the issuer makes either all or no elements of an array mandatory (``TrustedIssuer/takesArraysWhole``).
    var takesArraysWhole = false
    /// The embedded credentials and presentations, and all nodes that statements connect them to. Other issuers may
    /// have made the statements about these nodes. The set is empty if the issuer vouches for embedded statements
    /// (``TrustedIssuer/vouchesForEmbedded``).
    var subjectsInside: Set<Term> = []
    /// Whether an embedded credential or presentation also describes the outermost object. If so, another issuer may
    /// have stated the types and subjects of the outermost object.
    var isRootInside: Bool { subjectsInside.contains(root) }
    private let index: StatementIndex

    /// Creates the statements of a document whose outermost object has the type `type`.
    ///
    /// Returns nil if the holder could have chosen which node is outermost. The holder could have chosen if the root is
    /// missing or lacks the type, if another node of the type is not reachable from the root, or if another node of the
    /// type leads back to the root. A node that leads back to the root is tolerated if it has a single issuer that
    /// differs from the root's issuer and is not trusted (`isTrusted`): a document with that node outermost would be
    /// refused.
    init?(_ document: DeserializedDocument, type: Text, isTrusted: (Text) -> Bool = { _ in true }) {
        guard let root = document.root else { return nil }
        self.init(written: document.dataset, root: root)
        guard types(of: root).contains(type) else { return nil }
        let others = others(of: type)
        if others.isEmpty { return }
        // Two searches suffice for any number of other nodes of the type: a search from the root, and a backward search
        // to the root.
        guard others.isSubset(of: reachable(from: [root])) else { return nil }
        let rivals = others.intersection(reachable(from: [root], backwards: true))
        if rivals.isEmpty { return }
        // No other node of the type may have the root as its subject. Otherwise the statements of that node about the
        // root would count as statements of the root.
        guard !others.contains(where: { values(of: CredentialVocabulary.subject, at: $0).contains(root) }) else {
            return nil
        }
        let own = values(of: CredentialVocabulary.issuer, at: root)
        let areRefused = rivals.allSatisfy { rival in
            let issuers = values(of: CredentialVocabulary.issuer, at: rival)
            guard issuers.count == 1, !own.contains(issuers[0]), let issuer = issuers[0].iri else { return false }
            return !isTrusted(issuer)
        }
        guard areRefused else { return nil }
    }

    /// Creates the statements of a text that is signed as written. The signer of such a text chose the outermost node.
    init(written dataset: Dataset, root: Term) {
        self.init(dataset, root: root)
        let inside = others(of: CredentialVocabulary.verifiableCredentialType)
            .union(others(of: CredentialVocabulary.verifiablePresentationType))
        if !inside.isEmpty { subjectsInside = reachable(from: inside) }
    }

    init(_ dataset: Dataset, root: Term) {
        self.dataset = dataset
        self.root = root
        index = StatementIndex(dataset.quads)
    }

    /// Returns the values that the default graph states for a property of a node, in document order and without
    /// duplicates.
    func values(of property: Text, at node: Term) -> [Term] {
        let places = index.places(of: property, at: node, in: dataset.quads)
        if places.count < 2 { return places.map { dataset.quads[$0].object } }
        var seen: Set<Term> = []
        return places.map { dataset.quads[$0].object }.filter { seen.insert($0).inserted }
    }

    /// Returns the positions in ``dataset`` of the default graph's statements about `node` with the property
    /// `property`.
    func places(of property: Text, at node: Term) -> ArraySlice<Int> {
        index.places(of: property, at: node, in: dataset.quads)
    }

    /// Returns whether the default graph states a value for a property of a node.
    func states(_ property: Text, at node: Term) -> Bool {
        index.states(property, at: node, in: dataset.quads)
    }

    /// Returns the IRIs among the types of a node.
    func types(of node: Term) -> [Text] { values(of: RDF.type, at: node).compactMap(\.iri) }

    /// Returns the nodes of type `type` other than the root.
    private func others(of type: Text) -> Set<Term> {
        var others: Set<Term> = []
        for quad in dataset.quads where quad.predicate == RDF.type && quad.graph == nil && quad.object == .iri(type) {
            if quad.subject != root { others.insert(quad.subject) }
        }
        return others
    }

    /// Returns whether a node names a graph. The statements of named graphs are not read.
    func isGraph(_ node: Term) -> Bool { index.graphs.contains(node) }

    /// Returns the given nodes and all nodes that statements of the default graph connect them to. With `backwards`,
    /// the search follows the statements from object to subject.
    private func reachable(from start: Set<Term>, backwards: Bool = false) -> Set<Term> {
        var next: [Term: [Term]] = [:]
        for quad in dataset.quads where quad.graph == nil {
            if case .literal = quad.object { continue }
            let (from, to) = backwards ? (quad.object, quad.subject) : (quad.subject, quad.object)
            next[from, default: []].append(to)
        }
        var (seen, open) = (start, Array(start))
        while let node = open.popLast() {
            for other in next[node] ?? [] where seen.insert(other).inserted { open.append(other) }
        }
        return seen
    }
}

extension Term {
    /// The IRI, if the term is an IRI; otherwise nil.
    var iri: Text? { if case .iri(let iri) = self { iri } else { nil } }
    /// The lexical form, if the term is a literal; otherwise nil.
    var lexicalForm: Text? { if case .literal(let literal) = self { literal.value } else { nil } }
}

/// The graph of a credential, computed when a rule reads it. A signature over JSON text does not need the graph.
final class DeferredGraph: Sendable {
    private enum Source: Sendable {
        case known(StatementGraph?)
        case document(JSONObject, JSONLDProcessor, vouches: Bool)
    }

    private let source: Source

    /// Stores an existing graph, or nil if the credential has no readable graph.
    init(_ graph: StatementGraph?) { source = .known(graph) }

    /// Stores a document. ``graph`` computes the graph from it. `vouches` is the issuer's
    /// ``TrustedIssuer/vouchesForEmbedded``.
    init(of document: JSONObject, processor: JSONLDProcessor, vouches: Bool) {
        source = .document(document, processor, vouches: vouches)
    }

    /// The graph; nil if the document cannot be expanded. For a stored document, each call computes the graph again
    /// (``RuleWork`` caches the result).
    var graph: StatementGraph? {
        switch source {
        case .known(let graph): return graph
        case .document(let document, let processor, let vouches):
            guard let deserialized = try? processor.deserialize(.object(document)), let root = deserialized.root else {
                return nil
            }
            var graph = StatementGraph(written: deserialized.dataset, root: root)
            if vouches { graph.subjectsInside = [] }
            return graph
        }
    }
}
