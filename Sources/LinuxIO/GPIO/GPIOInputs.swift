import CLinuxShims
import Encoding
import Glibc
import Synchronization

/// A thread that waits for edges of input lines and tells of them in their order.
///
/// A line without a reported edge is inactive: lines that are active when they are taken are reported as edges of that
/// moment. If the kernel dropped edges, that is reported (libgpiod 1.6 does not learn of it), and the levels are read
/// again. They are also read every ``readBack``, since not every kernel reports a chip that goes away. Lines that
/// cannot be had, or are lost, are tried again every ``retryAfter``. Until then nothing is known of them; what has
/// changed meanwhile is reported as edges of the moment when they are back.
package final class GPIOInputs: Sendable {
    /// What the operator should hear of, besides edges.
    package enum News: Hashable, Sendable {
        /// The lines cannot be had, or are lost: nothing is known of them. Told again when the reason is another.
        case unavailable(GPIOError)
        /// The lines are there, for the first time or again. Their levels follow as edges.
        case available
        /// So many edges were dropped. What the levels are now follows as edges.
        case lost(Int)
    }

    /// The pause before lines that cannot be had are asked for again.
    package static let retryAfter: Duration = .seconds(2)
    /// How often levels are read although no edge came.
    package static let readBack: Duration = .seconds(2)
    /// Edges are reported in at most so many pieces before the thread looks whether it is to end.
    private static let mostReads = 8

    private let counter: EventCounter
    private let isEnding = Atomic<Bool>(false)
    private let hasEnded = Atomic<Bool>(false)

    /// Starts the thread, which takes the lines.
    ///
    /// - Parameters:
    ///   - chip: A label (see ``GPIOChips``).
    ///   - lines: 1 to 32. With libgpiod 2, more than five lines may have at most nine different settings in all: pairs
    ///     of polarity and bias, and debounce times.
    ///   - consumer: Shown by gpioinfo.
    ///   - onEdges: Called on the thread with changes in their order; may not block.
    ///   - onNews: Called on the thread; may not block either.
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

    /// Gives the lines back and ends the thread; whether that was done within `limit`.
    package func end(within limit: Duration) -> Bool {
        isEnding.store(true, ordering: .releasing)
        counter.ring()
        let last = SystemClock.now().advanced(by: limit)
        while !hasEnded.load(ordering: .acquiring) {
            if SystemClock.now() >= last { return false }
            usleep(500)
        }
        return true
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
        // Newer kernels say so; on others the levels cannot be read.
        guard !entries.dropLast().contains(where: { Int32($0.revents) & (POLLERR | POLLHUP | POLLNVAL) != 0 }) else {
            throw .failed(SystemError("waiting for edges", code: ENODEV))
        }
    }

    /// What is known of the lines, and who hears of it.
    private struct Listener {
        let onEdges: @Sendable ([InputEdge]) -> Void
        let onNews: @Sendable (News) -> Void
        private var levels = InputLevels()
        private var told: GPIOError?

        init(onEdges: @escaping @Sendable ([InputEdge]) -> Void, onNews: @escaping @Sendable (News) -> Void) {
            (self.onEdges, self.onNews) = (onEdges, onNews)
        }

        /// The lines were just taken.
        mutating func begin(_ bank: any InputBank, at now: Instant) throws(GPIOError) {
            levels.restart()
            let active = try bank.active()
            told = nil
            onNews(.available)
            tell(levels.match(active, at: now))
        }

        /// Something has happened, or nothing has for a while.
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
