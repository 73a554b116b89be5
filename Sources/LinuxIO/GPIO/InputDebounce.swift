import Encoding

/// Debounces input lines in software. It is used if the kernel does not debounce them, because libgpiod 1.6
/// cannot request that.
///
/// The rule is the kernel's (Linux, `drivers/gpio/gpiolib-cdev.c`, `debounce_work_func`): each edge,
/// including one back to the old level, restarts the line's timer. When the timer expires, the level becomes
/// the debounced level, if it differs from the previous one.
struct InputDebounce {
    private struct Line {
        let time: Duration
        /// The level of the last edge.
        var level: Bool
        /// The debounced level of the line: whether it is active.
        var isActive: Bool
        /// The instant at which the line's timer expires; nil if no edge was seen since it last expired.
        var end: Instant?
    }

    private var lines: [Line]

    /// Creates the filter for lines with the given debounce times. The present levels count as debounced
    /// levels.
    init(_ times: [Duration], levels: UInt64) {
        lines = times.enumerated().map { index, time in
            let level = levels & (1 << UInt64(index)) != 0
            return Line(time: time, level: level, isActive: level)
        }
    }

    /// The debounced levels of all lines, as bits.
    var active: UInt64 {
        lines.enumerated().reduce(UInt64(0)) { $1.element.isActive ? $0 | 1 << UInt64($1.offset) : $0 }
    }

    /// The instant at which ``settle(at:)`` should be called; nil: after the next edge.
    var end: Instant? { lines.compactMap(\.end).min() }

    /// Takes an edge; edges must be passed in the order of their times. Returns the debounced changes before
    /// this edge.
    mutating func take(_ edge: InputEdge) -> [InputEdge] {
        let before = settle(at: edge.at)
        guard lines.indices.contains(edge.index) else { return before }
        lines[edge.index].level = edge.isActive
        lines[edge.index].end = edge.at.advanced(by: lines[edge.index].time)
        return before
    }

    /// Compares with levels that were just read. A difference counts as an edge at `now`.
    mutating func match(_ levels: UInt64, at now: Instant) {
        for index in lines.indices where lines[index].level != (levels & (1 << UInt64(index)) != 0) {
            lines[index].level.toggle()
            lines[index].end = now.advanced(by: lines[index].time)
        }
    }

    /// Returns the changes that have lasted by `now`, in their order.
    mutating func settle(at now: Instant) -> [InputEdge] {
        lines.indices.flatMap { settle($0, at: now) }.sorted { $0.at < $1.at }
    }

    private mutating func settle(_ index: Int, at now: Instant) -> [InputEdge] {
        guard let end = lines[index].end, end <= now else { return [] }
        lines[index].end = nil
        guard lines[index].isActive != lines[index].level else { return [] }
        lines[index].isActive.toggle()
        return [InputEdge(index: index, isActive: lines[index].isActive, at: end)]
    }
}
