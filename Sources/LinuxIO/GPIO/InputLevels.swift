import Encoding

/// The levels of input lines as reported so far. It computes the changes to report from the kernel's edges
/// and levels. All lines are inactive at first.
struct InputLevels {
    private var active: UInt64 = 0
    private var next: UInt32 = 1
    private var last: Instant = .zero

    /// Restarts the numbering of edges at 1, because the lines were taken again.
    mutating func restart() { next = 1 }

    /// Returns the changes of levels that the edges mean, and how many edges are missing before or between
    /// them. If any are missing, the caller must read the levels.
    mutating func take(_ edges: [NumberedEdge]) -> (changes: [InputEdge], lost: Int) {
        var (changes, lost): ([InputEdge], Int) = ([], 0)
        for entry in edges {
            lost += Int(entry.number &- next)
            next = entry.number &+ 1
            if let change = change(entry.edge.index, entry.edge.isActive, at: entry.edge.at) { changes.append(change) }
        }
        return (changes, lost)
    }

    /// Returns the changes without a reported edge, from levels that were read at `now`.
    mutating func match(_ levels: UInt64, at now: Instant) -> [InputEdge] {
        (0..<UInt64.bitWidth).compactMap { change($0, levels & (1 << UInt64($0)) != 0, at: now) }
    }

    /// Returns the change of the line `index` to a new level; nil if that level was reported already. The
    /// times of changes never decrease, even if a time stamp does.
    private mutating func change(_ index: Int, _ isActive: Bool, at instant: Instant) -> InputEdge? {
        let bit: UInt64 = 1 << UInt64(index)
        guard (active & bit != 0) != isActive else { return nil }
        active ^= bit
        last = max(last, instant)
        return InputEdge(index: index, isActive: isActive, at: last)
    }
}
