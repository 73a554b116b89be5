import Encoding

/// The state of one canonicalisation: the canonicalization state of RDFC-1.0 section 4.3.
struct Canonicalization {
    private var quads: NumberedQuads
    private let hash: HashAlgorithm
    private let limits: CanonicalizationLimits
    private var canonical: IdentifierIssuer
    private var firstDegree: [[UInt8]] = []
    private var relatedHashes: [RelatedKey: [UInt8]] = [:]
    private var work = 0
    private var steps = 0

    init(_ dataset: Dataset, hash: HashAlgorithm, limits: CanonicalizationLimits) {
        quads = NumberedQuads(dataset)
        self.hash = hash
        self.limits = limits
        canonical = IdentifierIssuer(prefix: "c14n", count: quads.labels.count)
    }

    /// The label of each blank node in the input, by the node's number.
    var labels: [Text] { quads.labels }

    /// Returns whether the lines to be written have fewer than `limit` bytes in total, not counting escapes.
    func isWithin(_ limit: Int) -> Bool { quads.isWithin(limit) }

    /// Runs the canonicalization algorithm (section 4.4.3) and returns its result.
    mutating func result() throws(CanonicalizationError) -> CanonicalDataset {
        // A single blank node, as in proof options, needs no hash, because there is no other to distinguish it from.
        if labels.count == 1 {
            canonical.issue(0)
            return try document()
        }
        for node in labels.indices { firstDegree.append(try hashFirstDegree(node)) }
        let sorted = labels.indices.sorted { ByteOrder.precedes(firstDegree[$0], firstDegree[$1]) }
        var shared: [[BlankNode]] = []
        for group in sorted.split(whereHashChanges: firstDegree) {
            if group.count == 1 { canonical.issue(group[0]) } else { shared.append(group) }
        }
        if !shared.isEmpty { quads.numberPredicates() }
        for group in shared {
            var results: [(hash: [UInt8], issuer: IdentifierIssuer)] = []
            for node in group where !canonical.hasIssued(node) {
                var issuer = IdentifierIssuer(prefix: "b", count: labels.count)
                issuer.issue(node)
                results.append(try hashNDegree(node, issuer))
            }
            for result in results.sorted(by: { ByteOrder.precedes($0.hash, $1.hash) }) {
                for node in result.issuer.order { canonical.issue(BlankNode(node)) }
            }
        }
        return try document()
    }

    private mutating func document() throws(CanonicalizationError) -> CanonicalDataset {
        let names = labels.indices.map { canonical.identifier(of: $0) ?? "" }
        let forms = quads.takeLongForms()
        // The estimate includes the blank node labels and the punctuation of each line.
        var text = CanonicalText(bytes: quads.length + 64 * quads.entries.count, lines: quads.entries.count)
        for index in quads.entries.indices {
            let start = text.bytes.count
            let place = quads.appendLine(index, to: &text.bytes) { names[$0] }
            text.endLine(from: start, lacking: forms[index], at: place)
            try checkBytes(text.count)
        }
        let issued = Dictionary(zip(labels, names.map { Text($0) })) { first, _ in first }
        return CanonicalDataset(unsorted: text, issued: issued, work: work, steps: steps)
    }

    /// Runs Hash First Degree Quads (section 4.6) for a node. Returns the hash in hexadecimal.
    private mutating func hashFirstDegree(_ node: BlankNode) throws(CanonicalizationError) -> [UInt8] {
        var text: [UInt8] = []
        var lines: [(entry: Int, range: Range<Int>)] = []
        lines.reserveCapacity(quads.mentions[node].count)
        for index in quads.mentions[node] {
            let start = text.count
            quads.appendLine(index, to: &text) { $0 == node ? "a" : "z" }
            lines.append((index, start..<text.count))
            try checkBytes(text.count)
        }
        guard lines.count > 1 else { return hash.hex(text) }
        text.withUnsafeBytes { bytes in
            lines.sort { ByteOrder.precedes(.init(rebasing: bytes[$0.range]), .init(rebasing: bytes[$1.range])) }
        }
        let isRepeated = text.withUnsafeBytes { bytes in
            lines.indices.map { index in
                index > 0
                    && ByteOrder.areEqual(
                        .init(rebasing: bytes[lines[index].range]), .init(rebasing: bytes[lines[index - 1].range]))
            }
        }
        let count = lines.count
        if isRepeated.contains(true) {
            quads.keepOnce(zip(lines, isRepeated).map { ($0.entry, $1) }, of: node)
            let kept = Set(quads.mentions[node])
            if kept.count < count { lines.removeAll { !kept.contains($0.entry) } }
        }
        return text.withUnsafeBytes { bytes in
            var digest = RunningDigest(hash)
            for line in lines { digest.update(UnsafeRawBufferPointer(rebasing: bytes[line.range])) }
            return HashAlgorithm.hex(digest.finish())
        }
    }

    /// The values on which the hash of a related blank node depends.
    private struct RelatedKey: Hashable {
        let predicate: Int
        let position: UInt8
        /// The meaning of `number`: the number in the node's canonical identifier (0) or temporary identifier (1), or
        /// the node itself (2), whose first degree hash is used.
        let kind: UInt8
        let number: Int32
    }

    /// Runs Hash Related Blank Node (section 4.7). Results are cached, because the permutations need the same few
    /// hashes.
    private mutating func hashRelated(
        _ related: BlankNode, _ index: Int, _ issuer: IdentifierIssuer, position: Unicode.Scalar
    ) throws(CanonicalizationError) -> [UInt8] {
        let (kind, number): (UInt8, Int32) =
            if let number = canonical.number(of: related) {
                (0, number)
            } else if let number = issuer.number(of: related) {
                (1, number)
            } else {
                (2, Int32(truncatingIfNeeded: related))
            }
        let key = RelatedKey(
            predicate: quads.predicates[index], position: UInt8(ascii: position), kind: kind, number: number)
        if let known = relatedHashes[key] { return known }
        var input = [key.position]
        if position != "g" { CanonicalNQuads.append(iri: quads.entries[index].quad.predicate, to: &input) }
        if kind == 2 {
            input += firstDegree[related]
        } else {
            input.append(contentsOf: "_:\(kind == 0 ? canonical.prefix : issuer.prefix)\(number)".utf8)
        }
        try countSteps(input.count / 64)
        let result = hash.hex(input)
        if relatedHashes.count >= Self.relatedHashesKept { relatedHashes.removeAll(keepingCapacity: true) }
        relatedHashes[key] = result
        return result
    }

    private static let relatedHashesKept = 20_000

    /// Throws if more than the allowed bytes were written. The size is checked while writing, because escapes can make
    /// a line six times as long as its terms.
    private func checkBytes(_ count: Int) throws(CanonicalizationError) {
        guard count <= limits.bytes else { throw CanonicalizationError(code: .tooManyBytes, work: work) }
    }

    private mutating func countWork() throws(CanonicalizationError) {
        work += 1
        guard work <= limits.work else {
            throw CanonicalizationError(code: .tooMuchWork, work: work - 1, steps: steps)
        }
    }

    /// Counts `count` steps before they are done. Throws if their total exceeds the limit.
    private mutating func countSteps(_ count: Int) throws(CanonicalizationError) {
        guard count <= limits.steps - steps else {
            throw CanonicalizationError(code: .tooMuchWork, work: work, steps: steps)
        }
        steps += count
    }

    /// Runs Hash N-Degree Quads (section 4.8) for a node. Returns the hash in hexadecimal and the identifier issuer
    /// after it.
    private mutating func hashNDegree(
        _ node: BlankNode, _ given: consuming IdentifierIssuer
    ) throws(CanonicalizationError) -> (hash: [UInt8], issuer: IdentifierIssuer) {
        try countWork()
        var input: [UInt8] = []
        var issuer = given
        let related = try relatedNodes(of: node, issuer)
        var start = 0
        while start < related.count {
            let end = related[start...].firstIndex { $0.hash != related[start].hash } ?? related.count
            input += related[start].hash
            let nodes = related[start..<end].map(\.node)
            let chosen = try choosePath(nodes, consume issuer)
            input += chosen.bytes
            issuer = chosen.issuer
            start = end
        }
        return (hash.hex(input), issuer)
    }

    /// Returns the blank nodes that occur in a quad together with `node`, each with its hash, sorted by hash.
    private mutating func relatedNodes(
        of node: BlankNode, _ issuer: IdentifierIssuer
    ) throws(CanonicalizationError) -> [(hash: [UInt8], node: BlankNode)] {
        try countSteps(quads.mentions[node].count)
        var found: [(hash: [UInt8], node: BlankNode)] = []
        for index in quads.mentions[node] {
            let entry = quads.entries[index]
            if let related = entry.subject, related != node {
                found.append((try hashRelated(related, index, issuer, position: "s"), related))
            }
            if let related = entry.object, related != node {
                found.append((try hashRelated(related, index, issuer, position: "o"), related))
            }
            if let related = entry.graph, related != node {
                found.append((try hashRelated(related, index, issuer, position: "g"), related))
            }
        }
        if found.count > 1 { found.sort { ByteOrder.precedes($0.hash, $1.hash) } }
        return found
    }

    /// A path to related blank nodes (section 4.8), and the state of the identifier issuer at its end.
    private struct Path {
        var bytes: [UInt8] = []
        var issuer: IdentifierIssuer
        /// Whether the path was abandoned because it cannot precede the best path so far.
        var isGivenUp = false
    }

    /// Returns the path that is first in byte order among the paths for all permutations of `nodes` (step 5.4).
    private mutating func choosePath(
        _ nodes: [BlankNode], _ issuer: consuming IdentifierIssuer
    ) throws(CanonicalizationError) -> Path {
        guard nodes.count > 1 else {
            try countWork()
            return try path(nodes, consume issuer, unlessAbove: nil)
        }
        var permutation = Permutation(nodes)
        var chosen: Path?
        repeat {
            try countWork()
            let next = try path(permutation.elements, copy issuer, unlessAbove: chosen?.bytes)
            if !next.isGivenUp { chosen = next }
        } while permutation.advance()
        if let chosen { return chosen }
        return Path(issuer: consume issuer)
    }

    /// Returns the path for one permutation, given by `nodes`. Stops as soon as the path cannot precede `best`.
    private mutating func path(
        _ nodes: [BlankNode], _ given: consuming IdentifierIssuer, unlessAbove best: [UInt8]?
    ) throws(CanonicalizationError) -> Path {
        var path = Path(issuer: consume given)
        var pending: [BlankNode] = []
        try countSteps(nodes.count)
        for node in nodes {
            if let identifier = canonical.identifier(of: node) {
                path.bytes.append(contentsOf: "_:\(identifier)".utf8)
            } else {
                if !path.issuer.hasIssued(node) { pending.append(node) }
                path.bytes.append(contentsOf: "_:\(path.issuer.issue(node))".utf8)
            }
            path.isGivenUp = Self.isAbove(path.bytes, best)
            if path.isGivenUp { return path }
        }
        for node in pending {
            path.bytes.append(contentsOf: "_:\(path.issuer.issue(node))<".utf8)
            let result = try hashNDegree(node, path.issuer.take())
            path.bytes += result.hash
            path.bytes.append(UInt8(ascii: ">"))
            path.issuer = result.issuer
            path.isGivenUp = Self.isAbove(path.bytes, best)
            if path.isGivenUp { return path }
        }
        path.isGivenUp = best.map { !ByteOrder.precedes(path.bytes, $0) } ?? false
        return path
    }

    /// Returns whether the beginning `path` of a path proves that the path follows `best` in byte order.
    private static func isAbove(_ path: [UInt8], _ best: [UInt8]?) -> Bool {
        guard let best, path.count >= best.count else { return false }
        return ByteOrder.precedes(best, path)
    }
}

/// An iterator over all permutations of a list of nodes.
struct Permutation {
    private(set) var elements: [BlankNode]
    private var order: [Int]

    init(_ elements: [BlankNode]) {
        self.elements = elements
        order = Array(elements.indices)
    }

    /// Changes ``elements`` to the next permutation. Returns false, and changes nothing, after the last one.
    mutating func advance() -> Bool {
        guard order.count > 1, let pivot = order.indices.dropLast().last(where: { order[$0] < order[$0 + 1] }),
            let successor = order.indices.last(where: { order[$0] > order[pivot] })
        else { return false }
        exchange(pivot, successor)
        var (low, high) = (pivot + 1, order.count - 1)
        while low < high {
            exchange(low, high)
            low += 1
            high -= 1
        }
        return true
    }

    private mutating func exchange(_ a: Int, _ b: Int) {
        order.swapAt(a, b)
        elements.swapAt(a, b)
    }
}

extension [BlankNode] {
    /// Splits the nodes, which are sorted by hash, into groups with equal hashes. `hashes`: the hash of each node by
    /// its number.
    fileprivate func split(whereHashChanges hashes: [[UInt8]]) -> [[BlankNode]] {
        var groups: [[BlankNode]] = []
        var start = 0
        for index in indices.dropFirst() where hashes[self[index]] != hashes[self[index - 1]] {
            groups.append(Array(self[start..<index]))
            start = index
        }
        if !isEmpty { groups.append(Array(self[start...])) }
        return groups
    }
}
