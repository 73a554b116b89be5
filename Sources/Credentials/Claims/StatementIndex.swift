import Encoding
import LinkedData

/// The positions of the statements of a dataset, by node and property. The index is made once, because a rule may read
/// thousands of nodes, or a node with thousands of properties.
struct StatementIndex: Sendable {
    /// The number of each node that is a subject in the default graph.
    private var numbers: [Term: Int] = [:]
    /// The positions of the statements, grouped by node. ``starts`` has the start of each group.
    private var places: [Int]
    private var starts: [Int]
    /// The nodes that are names of graphs.
    private(set) var graphs: Set<Term> = []

    /// The maximum number of statements about one node that are searched linearly. If a node has more statements, they
    /// are sorted by property and searched by bisection.
    private static let few = 48

    init(_ quads: [Quad]) {
        var owners = [Int](repeating: -1, count: quads.count)
        var counts: [Int] = []
        var last: (node: Term, number: Int)?
        for (place, quad) in quads.enumerated() {
            if let graph = quad.graph {
                graphs.insert(graph)
                continue
            }
            // Most statements have the same subject as the statement before.
            let number: Int
            if let last, last.node == quad.subject {
                number = last.number
            } else {
                number = numbers[quad.subject] ?? counts.count
                if number == counts.count {
                    numbers[quad.subject] = number
                    counts.append(0)
                }
                last = (quad.subject, number)
            }
            owners[place] = number
            counts[number] += 1
        }
        starts = counts.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
        var next = starts
        places = [Int](repeating: 0, count: starts[counts.count])
        for (place, owner) in owners.enumerated() where owner >= 0 {
            places[next[owner]] = place
            next[owner] += 1
        }
        for number in counts.indices where counts[number] > Self.few {
            places[starts[number]..<starts[number + 1]].sort { left, right in
                let (first, second) = (quads[left].predicate, quads[right].predicate)
                return first == second ? left < right : first < second
            }
        }
    }

    /// Returns the positions of the default graph's statements about `node` with the property `property`, in document
    /// order.
    func places(of property: Text, at node: Term, in quads: [Quad]) -> ArraySlice<Int> {
        guard let number = numbers[node] else { return [] }
        let own = places[starts[number]..<starts[number + 1]]
        guard own.count > Self.few else { return own.filter { quads[$0].predicate == property }[...] }
        let start = Self.first(in: own) { quads[$0].predicate >= property }
        let end = Self.first(in: own[start...]) { quads[$0].predicate > property }
        return own[start..<end]
    }

    /// Returns the index of the first element for which `isSo` is true, or the end index. `isSo` must be true for all
    /// later elements, too.
    private static func first(in places: ArraySlice<Int>, _ isSo: (Int) -> Bool) -> Int {
        var (low, high) = (places.startIndex, places.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isSo(places[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Returns whether a statement about the node `node` with the property `property` exists.
    func states(_ property: Text, at node: Term, in quads: [Quad]) -> Bool {
        guard let number = numbers[node] else { return false }
        let own = places[starts[number]..<starts[number + 1]]
        if own.count > Self.few { return !places(of: property, at: node, in: quads).isEmpty }
        return own.contains { quads[$0].predicate == property }
    }
}
