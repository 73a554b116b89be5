import Encoding

/// Debounces input lines in software, because libgpiod 1.6 cannot ask the kernel to debounce them.
///
/// The rule is the kernel's (Linux, `drivers/gpio/gpiolib-cdev.c`, `debounce_work_func`): each edge, including an
/// edge back to the old level, restarts the line's timer. When the timer expires, the present level becomes the
/// debounced level. If it differs from the previous debounced level, the change is reported.
struct InputDebounce {
    private struct Line {
        let time: Duration
        /// The level after the newest edge: true means active.
        var level: Bool
        /// The debounced level: true means active.
        var isActive: Bool
        /// The instant at which the line's timer expires; nil while the timer does not run.
        var end: Instant?
    }

    private var lines: [Line]

    /// Creates the filter for lines with the debounce times `times`. The bits `levels` are the initial debounced
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

    /// The instant at which ``settle(at:)`` must be called next; nil if no timer runs.
    var end: Instant? { lines.compactMap(\.end).min() }

    /// Applies an edge. The edges must be passed in the order of their times. Returns the debounced changes until the
    /// time of this edge.
    mutating func take(_ edge: InputEdge) -> [InputEdge] {
        let before = settle(at: edge.at)
        guard lines.indices.contains(edge.index) else { return before }
        lines[edge.index].level = edge.isActive
        lines[edge.index].end = edge.at.advanced(by: lines[edge.index].time)
        return before
    }

    /// Applies levels that were read at `now`. A difference from the level after the newest edge counts as an edge at
    /// `now`.
    mutating func match(_ levels: UInt64, at now: Instant) {
        for index in lines.indices where lines[index].level != (levels & (1 << UInt64(index)) != 0) {
            lines[index].level.toggle()
            lines[index].end = now.advanced(by: lines[index].time)
        }
    }

    /// Returns the debounced changes until `now`, in the order of their times.
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
