import Encoding

/// What was told of input lines, and what follows from the kernel's edges and levels. All lines are inactive at first.
struct InputLevels {
    private var active: UInt64 = 0
    private var next: UInt32 = 1
    private var last: Instant = .zero

    /// The lines were taken anew: the kernel counts from the beginning.
    mutating func restart() { next = 1 }

    /// The changes among these edges, and how many edges are missing before or between them: then the levels are to be read.
    mutating func take(_ edges: [NumberedEdge]) -> (changes: [InputEdge], lost: Int) {
        var (changes, lost): ([InputEdge], Int) = ([], 0)
        for entry in edges {
            lost += Int(entry.number &- next)
            next = entry.number &+ 1
            if let change = change(entry.edge.index, entry.edge.isActive, at: entry.edge.at) { changes.append(change) }
        }
        return (changes, lost)
    }

    /// What has changed without an edge that told of it, by the levels that were read at an instant.
    mutating func match(_ levels: UInt64, at now: Instant) -> [InputEdge] {
        (0..<UInt64.bitWidth).compactMap { change($0, levels & (1 << UInt64($0)) != 0, at: now) }
    }

    /// A change, unless that is what was told already. Times do not run backwards, whatever a stamp says.
    private mutating func change(_ index: Int, _ isActive: Bool, at instant: Instant) -> InputEdge? {
        let bit: UInt64 = 1 << UInt64(index)
        guard (active & bit != 0) != isActive else { return nil }
        active ^= bit
        last = max(last, instant)
        return InputEdge(index: index, isActive: isActive, at: last)
    }
}
