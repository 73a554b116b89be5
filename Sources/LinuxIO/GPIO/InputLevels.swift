import Encoding

/// The levels of input lines as they were last reported. Computes from the kernel's edges and levels which changes to
/// report. All lines are inactive at first.
struct InputLevels {
    private var active: UInt64 = 0
    private var next: UInt32 = 1
    private var last: Instant = .zero

    /// Restarts the numbering of edges at 1, because the lines were requested again.
    mutating func restart() { next = 1 }

    /// Returns the level changes that follow from `edges`, and how many edges the kernel dropped before or between
    /// them. If the kernel dropped any, the caller must read the levels.
    mutating func take(_ edges: [NumberedEdge]) -> (changes: [InputEdge], lost: Int) {
        var (changes, lost): ([InputEdge], Int) = ([], 0)
        for entry in edges {
            lost += Int(entry.number &- next)
            next = entry.number &+ 1
            if let change = change(entry.edge.index, entry.edge.isActive, at: entry.edge.at) { changes.append(change) }
        }
        return (changes, lost)
    }

    /// Returns the level changes for which no edge was reported. `levels` was read at `now`.
    mutating func match(_ levels: UInt64, at now: Instant) -> [InputEdge] {
        (0..<UInt64.bitWidth).compactMap { change($0, levels & (1 << UInt64($0)) != 0, at: now) }
    }

    /// Returns the change of the line `index` to a new level; nil if that level has already been reported. The times
    /// of changes never decrease, even if the kernel's time stamps do.
    private mutating func change(_ index: Int, _ isActive: Bool, at instant: Instant) -> InputEdge? {
        let bit: UInt64 = 1 << UInt64(index)
        guard (active & bit != 0) != isActive else { return nil }
        active ^= bit
        last = max(last, instant)
        return InputEdge(index: index, isActive: isActive, at: last)
    }
}
