import Encoding
import LinkedData

/// The signed statements of one document, asked by node and property. Every answer has all values that were signed, in
/// whatever letters the document wrote them.
package struct StatementGraph: Sendable {
    /// All statements.
    let dataset: Dataset
    /// The node of the document's outermost object: the credential or presentation itself.
    let root: Term
    /// Places in ``dataset`` of the statements that no holder may leave out; nil where he may leave out none.
    var mandatory: Set<Int>?
    /// Whether the issuer makes all of an array mandatory or nothing of it (``TrustedIssuer/takesArraysWhole``).
    var takesArraysWhole = false
    /// The nodes that credentials and presentations inside lead to: what is stated of them may be the word of others, which the issuer only
    /// repeats. Empty where the issuer vouches for them (``TrustedIssuer/vouchesForEmbedded``).
    var subjectsInside: Set<Term> = []
    /// Whether one of them is the outermost object, so that another issuer may have stated its types and subjects.
    var isRootInside: Bool { subjectsInside.contains(root) }
    private let index: StatementIndex

    /// The statements of a document whose outermost object is of the type `type`.
    ///
    /// Nil where that is not certain: no such node, or another node of the type that the root does not lead to, or that leads
    /// to the root. Then the holder could have chosen which of them stands outermost; but not one whose one issuer is another
    /// and not trusted (`isTrusted`), as such a document is refused.
    init?(_ document: DeserializedDocument, type: Text, isTrusted: (Text) -> Bool = { _ in true }) {
        guard let root = document.root else { return nil }
        self.init(written: document.dataset, root: root)
        guard types(of: root).contains(type) else { return nil }
        let others = others(of: type)
        if others.isEmpty { return }
        // Two searches, however many such nodes a stranger writes: where the root leads to, and what leads to the root.
        guard others.isSubset(of: reachable(from: [root])) else { return nil }
        let rivals = others.intersection(reachable(from: [root], backwards: true))
        if rivals.isEmpty { return }
        // Nor may one inside be about the root itself: what it says of that would be the root's own word.
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

    /// The statements of a text that is signed as it is written, so that its signer chose which node is outermost.
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

    /// What the default graph states under a property of a node, each value once, in document order.
    func values(of property: Text, at node: Term) -> [Term] {
        let places = index.places(of: property, at: node, in: dataset.quads)
        if places.count < 2 { return places.map { dataset.quads[$0].object } }
        var seen: Set<Term> = []
        return places.map { dataset.quads[$0].object }.filter { seen.insert($0).inserted }
    }

    /// The places in ``dataset`` of the statements of the default graph with that node and property.
    func places(of property: Text, at node: Term) -> ArraySlice<Int> {
        index.places(of: property, at: node, in: dataset.quads)
    }

    /// Whether the default graph states something under a property of a node.
    func states(_ property: Text, at node: Term) -> Bool {
        index.states(property, at: node, in: dataset.quads)
    }

    /// The types of a node that are IRIs.
    func types(of node: Term) -> [Text] { values(of: RDF.type, at: node).compactMap(\.iri) }

    /// The nodes of a type besides the root.
    private func others(of type: Text) -> Set<Term> {
        var others: Set<Term> = []
        for quad in dataset.quads where quad.predicate == RDF.type && quad.graph == nil && quad.object == .iri(type) {
            if quad.subject != root { others.insert(quad.subject) }
        }
        return others
    }

    /// Whether a node names a graph, whose statements are not looked into.
    func isGraph(_ node: Term) -> Bool { index.graphs.contains(node) }

    /// These nodes and all nodes to which statements of the default graph lead from them or, backwards, that lead to them.
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
    /// The IRI, if it is one.
    var iri: Text? { if case .iri(let iri) = self { iri } else { nil } }
    /// The lexical form, if it is a literal.
    var lexicalForm: Text? { if case .literal(let literal) = self { literal.value } else { nil } }
}

/// The graph of a credential, made when a rule asks for it: a signature over JSON text does not need it.
final class DeferredGraph: Sendable {
    private enum Source: Sendable {
        case known(StatementGraph?)
        case document(JSONObject, JSONLDProcessor, vouches: Bool)
    }

    private let source: Source

    /// A graph that is there already; nil where there is none that can be read.
    init(_ graph: StatementGraph?) { source = .known(graph) }

    /// The graph of a document. `vouches`: see ``TrustedIssuer/vouchesForEmbedded``.
    init(of document: JSONObject, processor: JSONLDProcessor, vouches: Bool) {
        source = .document(document, processor, vouches: vouches)
    }

    /// The graph. Computed each time where it is not there already (``RuleWork`` keeps it); nil if the document cannot
    /// be expanded.
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
