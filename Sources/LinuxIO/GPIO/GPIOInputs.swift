import CLinuxShims
import Encoding
import Glibc
import Synchronization

/// A thread that waits for edges of input lines and reports them in order.
///
/// A line without a reported edge is inactive. If a line is already active when it is requested, the thread reports
/// an edge with that time. If the kernel dropped edges, the thread reports that and reads the levels (libgpiod 1.6
/// does not report dropped edges). The thread also reads the levels every ``readBack``, because not every kernel
/// reports that a chip has disappeared. If lines are unavailable or lost, the thread requests them again every
/// ``retryAfter``. Until that succeeds, their levels are unknown; then the thread reports changed levels as edges
/// with the time of the request.
package final class GPIOInputs: Sendable {
    /// A change of the lines' availability, or a loss of edges.
    package enum News: Hashable, Sendable {
        /// The lines cannot be requested, or are lost, for the given reason. Their levels are unknown. Reported again
        /// when the reason changes.
        case unavailable(GPIOError)
        /// The lines were requested successfully, for the first time or again. Their levels follow as edges.
        case available
        /// The kernel dropped the given number of edges. The current levels follow as edges.
        case lost(Int)
    }

    /// The time between two attempts to request unavailable lines.
    package static let retryAfter: Duration = .seconds(2)
    /// The time after which levels are read when no edge arrives.
    package static let readBack: Duration = .seconds(2)
    /// The maximum number of consecutive reads of edges before the thread checks whether it must end.
    private static let mostReads = 8

    private let counter: EventCounter
    private let isEnding = Atomic<Bool>(false)
    private let hasEnded = Atomic<Bool>(false)

    /// Starts the thread, which then requests the lines. Throws if the thread cannot be created.
    ///
    /// - Parameters:
    ///   - chip: The label of the chip (see ``GPIOChips``).
    ///   - lines: The 1 to 32 input lines. With libgpiod 2, more than five lines may have at most nine different
    ///     settings in total: pairs of polarity and bias, and debounce times.
    ///   - consumer: The name that gpioinfo shows as the user of the lines.
    ///   - onEdges: Called on the thread with edges in their order; must not block.
    ///   - onNews: Called on the thread; must not block.
    package convenience init(
        chip: String, lines: [InputLine], consumer: String = "gatehouse",
        onEdges: @escaping @Sendable ([InputEdge]) -> Void, onNews: @escaping @Sendable (News) -> Void
    ) throws(SystemError) {
        try self.init(onEdges: onEdges, onNews: onNews) { () throws(GPIOError) in
            try GPIOInputBank(chip: chip, lines, consumer: consumer)
        }
    }

    init(
        onEdges: @escaping @Sendable ([InputEdge]) -> Void, onNews: @escaping @Sendable (News) -> Void,
        retryAfter: Duration = GPIOInputs.retryAfter, readBack: Duration = GPIOInputs.readBack,
        _ take: @escaping @Sendable () throws(GPIOError) -> any InputBank
    ) throws(SystemError) {
        counter = try EventCounter()
        try Threads.start("gatehouse-input") { [self] in
            run(Listener(onEdges: onEdges, onNews: onNews), retryAfter, readBack, take)
            hasEnded.store(true, ordering: .releasing)
        }
    }

    /// Releases the lines and ends the thread. Returns whether the thread ended within `limit`.
    package func end(within limit: Duration) -> Bool {
        isEnding.store(true, ordering: .releasing)
        counter.ring()
        return Threads.wait(within: limit) { hasEnded.load(ordering: .acquiring) }
    }

    private var goesOn: Bool { !isEnding.load(ordering: .acquiring) }

    private func run(
        _ listener: Listener, _ retryAfter: Duration, _ readBack: Duration,
        _ take: () throws(GPIOError) -> any InputBank
    ) {
        var listener = listener
        while goesOn {
            do throws(GPIOError) {
                let bank = try take()
                defer { bank.close() }
                try listener.begin(bank, at: SystemClock.now())
                while goesOn {
                    try wait(for: bank, until: SystemClock.now().advanced(by: readBack))
                    try listener.turn(bank, most: Self.mostReads)
                }
            } catch {
                listener.fail(error)
                if goesOn { counter.wait(until: SystemClock.now().advanced(by: retryAfter)) }
            }
        }
    }

    private func wait(for bank: any InputBank, until instant: Instant) throws(GPIOError) {
        var entries = (bank.descriptors + [counter.descriptor]).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let limit = max(0, SystemClock.now().duration(to: min(instant, bank.until ?? instant)).nanoseconds)
        guard clinux_poll(&entries, Int32(entries.count), limit) > 0 else { return }
        // With newer kernels poll reports a chip that has disappeared in this way. With older kernels the next read
        // of the levels fails.
        guard !entries.dropLast().contains(where: { Int32($0.revents) & (POLLERR | POLLHUP | POLLNVAL) != 0 }) else {
            throw .failed(SystemError("waiting for edges", code: ENODEV))
        }
    }

    /// The known levels of the lines, and the functions that receive changes.
    private struct Listener {
        let onEdges: @Sendable ([InputEdge]) -> Void
        let onNews: @Sendable (News) -> Void
        private var levels = InputLevels()
        private var told: GPIOError?

        init(onEdges: @escaping @Sendable ([InputEdge]) -> Void, onNews: @escaping @Sendable (News) -> Void) {
            (self.onEdges, self.onNews) = (onEdges, onNews)
        }

        /// Reports that the lines are available, and reports the active ones as edges.
        mutating func begin(_ bank: any InputBank, at now: Instant) throws(GPIOError) {
            levels.restart()
            let active = try bank.active()
            told = nil
            onNews(.available)
            tell(levels.match(active, at: now))
        }

        /// Reports the edges that have arrived. Then reads the levels, and reports differences for which no edge
        /// arrived.
        mutating func turn(_ bank: any InputBank, most: Int) throws(GPIOError) {
            var lost = 0
            for _ in 0..<most {
                let edges = try bank.edges()
                guard !edges.isEmpty else { break }
                let found = levels.take(edges)
                lost += found.lost
                tell(found.changes)
            }
            if lost > 0 { onNews(.lost(lost)) }
            let active = try bank.active()
            tell(levels.match(active, at: SystemClock.now()))
        }

        mutating func fail(_ error: GPIOError) {
            if error != told { onNews(.unavailable(error)) }
            told = error
        }

        private func tell(_ changes: [InputEdge]) { if !changes.isEmpty { onEdges(changes) } }
    }
}
