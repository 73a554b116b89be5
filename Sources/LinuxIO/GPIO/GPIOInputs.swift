import CLinuxShims
import Encoding
import Glibc
import Synchronization

/// A thread that waits for edges of input lines and reports them in order.
///
/// A line without a reported edge is inactive. Lines that are already active when they are taken are reported
/// as edges with the time at which they were taken. If the kernel dropped edges, the thread reports that and
/// reads the levels again (libgpiod 1.6 does not report dropped edges). Levels are also read every
/// ``readBack``, because not every kernel reports that a chip has disappeared. The thread tries every
/// ``retryAfter`` to take lines that are unavailable or lost. Until it succeeds, their levels are unknown;
/// changes since then are reported as edges with the time at which the lines are available again.
package final class GPIOInputs: Sendable {
    /// News for the operator that is reported in addition to edges.
    package enum News: Hashable, Sendable {
        /// The lines cannot be taken, or are lost, for the given reason. Their levels are unknown. The news
        /// is repeated when the reason changes.
        case unavailable(GPIOError)
        /// The lines were taken, for the first time or again. Their levels follow as edges.
        case available
        /// The kernel dropped the given number of edges. The current levels follow as edges.
        case lost(Int)
    }

    /// The pause between attempts to take unavailable lines.
    package static let retryAfter: Duration = .seconds(2)
    /// How often levels are read when no edge arrives.
    package static let readBack: Duration = .seconds(2)
    /// The number of reads of edges in a row before the thread checks whether it should end.
    private static let mostReads = 8

    private let counter: EventCounter
    private let isEnding = Atomic<Bool>(false)
    private let hasEnded = Atomic<Bool>(false)

    /// Starts the thread. The thread takes the lines.
    ///
    /// - Parameters:
    ///   - chip: The label of the chip (see ``GPIOChips``).
    ///   - lines: The 1 to 32 input lines. With libgpiod 2, more than five lines may have at most nine
    ///     different settings in all: pairs of polarity and bias, and debounce times.
    ///   - consumer: The name of this program that gpioinfo shows.
    ///   - onEdges: Called on the thread with changes in their order; must not block.
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

    /// Releases the lines and ends the thread. Returns whether that was done within `limit`.
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
        // Newer kernels report a missing chip in this way. With older kernels, reading the levels fails.
        guard !entries.dropLast().contains(where: { Int32($0.revents) & (POLLERR | POLLHUP | POLLNVAL) != 0 }) else {
            throw .failed(SystemError("waiting for edges", code: ENODEV))
        }
    }

    /// The known state of the lines, and the handlers that receive changes.
    private struct Listener {
        let onEdges: @Sendable ([InputEdge]) -> Void
        let onNews: @Sendable (News) -> Void
        private var levels = InputLevels()
        private var told: GPIOError?

        init(onEdges: @escaping @Sendable ([InputEdge]) -> Void, onNews: @escaping @Sendable (News) -> Void) {
            (self.onEdges, self.onNews) = (onEdges, onNews)
        }

        /// Reports lines that were just taken, and their levels.
        mutating func begin(_ bank: any InputBank, at now: Instant) throws(GPIOError) {
            levels.restart()
            let active = try bank.active()
            told = nil
            onNews(.available)
            tell(levels.match(active, at: now))
        }

        /// Reports edges that have arrived, and differences of the levels without an edge.
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
