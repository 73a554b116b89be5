import Encoding

/// RDF Dataset Canonicalization 1.0 (W3C Recommendation, 2024).
package enum RDFC10 {
    /// Returns the canonical form of `dataset`. Its blank nodes have the labels `c14n0`, `c14n1`, …
    ///
    /// Throws if `dataset` exceeds `limits`. The limits bound the work: the complete graph of ten blank nodes, for
    /// example, has millions of permutations.
    package static func canonicalize(
        _ dataset: Dataset, hash: HashAlgorithm = .sha256, limits: CanonicalizationLimits = .init()
    ) throws(CanonicalizationError) -> CanonicalDataset {
        guard dataset.quads.count <= limits.quads else { throw CanonicalizationError(code: .tooManyQuads, work: 0) }
        var run = Canonicalization(dataset, hash: hash, limits: limits)
        guard run.labels.count <= limits.blankNodes else {
            throw CanonicalizationError(code: .tooManyBlankNodes, work: 0)
        }
        guard run.isWithin(limits.bytes) else { throw CanonicalizationError(code: .tooManyBytes, work: 0) }
        return try run.result()
    }
}

/// A blank node, represented by its number in the dataset.
typealias BlankNode = Int

/// Issues identifiers, such as `c14n0` and `c14n1`, in the order in which they are requested (RDFC-1.0 section 4.5).
struct IdentifierIssuer {
    let prefix: String
    /// The nodes in the order in which they received their identifiers.
    private(set) var order: [Int32] = []
    private var numbers: [Int32]

    /// Creates an issuer of identifiers for `count` nodes.
    init(prefix: String, count: Int) {
        self.prefix = prefix
        numbers = Array(repeating: -1, count: count)
    }

    /// Returns the issuer and replaces `self` by an empty one. So the caller has the only reference to the arrays, and
    /// can change them without a copy.
    mutating func take() -> IdentifierIssuer {
        let whole = self
        self = IdentifierIssuer(prefix: prefix, count: 0)
        return whole
    }

    /// Returns the number in the identifier of `node`; nil if the node has no identifier.
    func number(of node: BlankNode) -> Int32? { numbers[node] >= 0 ? numbers[node] : nil }

    func hasIssued(_ node: BlankNode) -> Bool { numbers[node] >= 0 }

    /// Returns the identifier of `node`; nil if the node has no identifier.
    func identifier(of node: BlankNode) -> String? { number(of: node).map { prefix + String($0) } }

    /// Returns the identifier of `node`. Issues a new identifier if the node has none.
    @discardableResult
    mutating func issue(_ node: BlankNode) -> String {
        if !hasIssued(node) {
            numbers[node] = Int32(truncatingIfNeeded: order.count)
            order.append(Int32(truncatingIfNeeded: node))
        }
        return prefix + String(numbers[node])
    }
}

/// The quads of one dataset. Blank nodes are numbers.
struct NumberedQuads {
    /// A quad and the blank nodes in it.
    struct Entry {
        fileprivate(set) var quad: Quad
        let subject: BlankNode?
        let object: BlankNode?
        let graph: BlankNode?
        /// The approximate length of the quad's line in bytes, not counting escapes.
        fileprivate(set) var length: Int

        fileprivate init(_ quad: Quad, _ subject: BlankNode?, _ object: BlankNode?, _ graph: BlankNode?) {
            (self.quad, self.subject, self.object, self.graph) = (quad, subject, object, graph)
            length =
                quad.subject.length + quad.predicate.utf8.count + quad.object.length + (quad.graph?.length ?? 0) + 16
        }
    }

    private(set) var entries: [Entry] = []
    /// The label of each blank node in the input, by the node's number.
    private(set) var labels: [Text] = []
    /// For each blank node, the indices of the quads in which it occurs.
    private(set) var mentions: [[Int]] = []
    private var numbers: [Text: BlankNode] = [:]
    private var last: BlankNode?
    /// A number for each quad's predicate; equal predicates have equal numbers. Empty until ``numberPredicates()`` is
    /// called.
    private(set) var predicates: [Int] = []

    init(_ dataset: Dataset) {
        entries.reserveCapacity(dataset.quads.count)
        for quad in dataset.quads {
            let (subject, object) = (number(quad.subject), number(quad.object))
            let graph = quad.graph.flatMap { number($0) }
            if let subject { mentions[subject].append(entries.count) }
            if let object, object != subject { mentions[object].append(entries.count) }
            if let graph, graph != subject, graph != object { mentions[graph].append(entries.count) }
            entries.append(Entry(quad, subject, object, graph))
        }
    }

    /// Fills ``predicates``. Only Hash N-Degree Quads needs these numbers.
    mutating func numberPredicates() {
        var numbers: [Text: Int] = [:]
        predicates = entries.map { entry in
            let number = numbers[entry.quad.predicate] ?? numbers.count
            numbers[entry.quad.predicate] = number
            return number
        }
    }

    /// Removes repeated quads of `node` from ``mentions``, because a dataset is a set. Repeated lines of the output are
    /// removed by ``CanonicalDataset`` when it sorts them.
    ///
    /// - Parameter lines: The quads of the node, sorted so that quads with equal lines (ignoring blank nodes) are
    ///   adjacent. `isRepeated`: whether the line equals that of the quad before.
    mutating func keepOnce(_ lines: [(entry: Int, isRepeated: Bool)], of node: BlankNode) {
        guard lines.contains(where: \.isRepeated) else { return }
        var seen: Set<[BlankNode?]> = []
        var kept: [Int] = []
        for line in lines {
            if !line.isRepeated { seen.removeAll(keepingCapacity: true) }
            let entry = entries[line.entry]
            if seen.insert([entry.subject, entry.object, entry.graph]).inserted { kept.append(line.entry) }
        }
        if kept.count < mentions[node].count { mentions[node] = kept.sorted() }
    }

    private mutating func number(_ term: Term) -> BlankNode? {
        guard case .blank(let label) = term else { return nil }
        // Most quads have the same subject as the quad before, so try its number first.
        if let last, labels[last] == label { return last }
        if let number = numbers[label] {
            last = number
            return number
        }
        let number = labels.count
        numbers[label] = number
        labels.append(label)
        mentions.append([])
        last = number
        return number
    }

    /// Returns whether the lines to be written have fewer than `limit` bytes in total. Each quad is written once for
    /// the document and once for each blank node in it.
    func isWithin(_ limit: Int) -> Bool {
        var left = limit
        for index in entries.indices {
            let (subject, object, graph) = (entries[index].subject, entries[index].object, entries[index].graph)
            let mentions = (subject != nil ? 1 : 0) + (object != nil ? 1 : 0) + (graph != nil ? 1 : 0)
            left -= min(left, entries[index].length * (1 + mentions))
            if left == 0 { return false }
        }
        return true
    }

    /// The approximate length of the lines of all quads in bytes, not counting escapes.
    var length: Int { entries.indices.reduce(0) { $0 + entries[$1].length } }

    /// The length in bytes from which on a literal counts as long.
    private static let long = 64 * 1024

    /// Removes the long literals that need no escapes from the quads. Returns these literals by the index of their
    /// quad.
    mutating func takeLongForms() -> [Int: Text] {
        var forms: [Int: Text] = [:]
        for index in entries.indices where entries[index].length >= Self.long {
            guard case .literal(var literal) = entries[index].quad.object, literal.value.utf8.count >= Self.long,
                !literal.value.withBytes(ByteScan.mayNeedEscape)
            else { continue }
            forms[index] = literal.value
            entries[index].length -= literal.value.utf8.count
            literal.value = ""
            entries[index].quad.object = .literal(literal)
        }
        return forms
    }

    /// Appends the line of quad `index` to `output`. `label` returns the label to write for a blank node.
    ///
    /// - Returns: The offset in `output` at which the text of the object begins, if the object is a literal.
    @discardableResult
    func appendLine(_ index: Int, to output: inout [UInt8], label: (BlankNode) -> String) -> Int {
        let entry = entries[index]
        func append(_ term: Term, _ node: BlankNode?) {
            if let node {
                output.append(contentsOf: "_:".utf8)
                output.append(contentsOf: label(node).utf8)
            } else if case .iri(let iri) = term {
                CanonicalNQuads.append(iri: iri, to: &output)
            } else if case .literal(let literal) = term {
                CanonicalNQuads.append(literal: literal, to: &output)
            }
            output.append(UInt8(ascii: " "))
        }
        append(entry.quad.subject, entry.subject)
        CanonicalNQuads.append(iri: entry.quad.predicate, to: &output)
        output.append(UInt8(ascii: " "))
        // The lexical form begins after the quotation mark.
        let place = output.count + 1
        append(entry.quad.object, entry.object)
        if let graph = entry.quad.graph { append(graph, entry.graph) }
        output.append(contentsOf: ".\n".utf8)
        return place
    }
}

extension Term {
    /// The length of the term in bytes, not counting escapes.
    fileprivate var length: Int {
        switch self {
        case .iri(let text), .blank(let text): text.utf8.count
        case .literal(let literal):
            literal.value.utf8.count + literal.datatype.utf8.count + (literal.language?.utf8.count ?? 0)
        }
    }
}
