import Encoding

/// Passes over changes of input lines that do not last, where the kernel was not asked to (libgpiod 1.6 cannot).
///
/// The rule is the kernel's (Linux, `drivers/gpio/gpiolib-cdev.c`, `debounce_work_func`): each edge, also one back,
/// restarts the line's time. At the end of that time the level counts, if it differs from the last one that counted.
struct InputDebounce {
    private struct Line {
        let time: Duration
        /// The level as it was seen last.
        var level: Bool
        /// The level that counts.
        var isActive: Bool
        /// The end of the line's time; nil: nothing has happened since the last one.
        var end: Instant?
    }

    private var lines: [Line]

    /// Lines with these times, whose levels now count at once.
    init(_ times: [Duration], levels: UInt64) {
        lines = times.enumerated().map { index, time in
            let level = levels & (1 << UInt64(index)) != 0
            return Line(time: time, level: level, isActive: level)
        }
    }

    /// The levels that count.
    var active: UInt64 {
        lines.enumerated().reduce(UInt64(0)) { $1.element.isActive ? $0 | 1 << UInt64($1.offset) : $0 }
    }

    /// When to settle again; nil: when there is an edge.
    var end: Instant? { lines.compactMap(\.end).min() }

    /// Takes an edge; edges come in the order of their times. Returns the changes that had lasted before it.
    mutating func take(_ edge: InputEdge) -> [InputEdge] {
        let before = settle(at: edge.at)
        guard lines.indices.contains(edge.index) else { return before }
        lines[edge.index].level = edge.isActive
        lines[edge.index].end = edge.at.advanced(by: lines[edge.index].time)
        return before
    }

    /// Compares with the levels as they are now. A change that came without an edge counts as an edge of this moment.
    mutating func match(_ levels: UInt64, at now: Instant) {
        for index in lines.indices where lines[index].level != (levels & (1 << UInt64(index)) != 0) {
            lines[index].level.toggle()
            lines[index].end = now.advanced(by: lines[index].time)
        }
    }

    /// The changes that have lasted by now, in their order.
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
