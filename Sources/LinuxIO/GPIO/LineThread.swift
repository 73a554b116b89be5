package import Encoding
import Synchronization

/// A thread that owns a bank of lines and keeps the lines in the wanted state, even while all other threads of the
/// process are stuck.
///
/// The thread shares no lock with other threads, and uses only its lines and the clock. To request a change, a caller
/// stores it in an atomic that `wanted` reads, and calls ``wake()``, which cannot block. After a failure the thread
/// sets the lines again every ``retryAfter``; so it repeats the end of a pulse until it succeeds. If `readBack` is
/// set, the thread periodically reads the levels of inactive lines. This reveals a chip that has disappeared before a
/// visitor needs it, and a line that another device drives.
package final class LineThread: Sendable {
    /// The wanted state of the lines, and how long it is valid.
    package struct Wanted: Sendable {
        /// The names of the lines that must be active now.
        package var active: Set<String>
        /// The instant at which the thread must ask for the wanted state again; nil: at the next
        /// ``LineThread/wake()``.
        package var until: Instant?

        /// Creates a state that is valid until `until`.
        package init(active: Set<String>, until: Instant? = nil) {
            (self.active, self.until) = (active, until)
        }
    }

    /// The pause before the thread sets a line again after a failure.
    package static let retryAfter: Duration = .milliseconds(50)
    /// The number of consecutive failures, over half a second, after which a fault counts as lasting.
    package static let lasting = 10

    /// The precision with which a thread observes its times.
    package enum Timing: Sendable {
        /// The thread has normal priority.
        case usual
        /// The thread has real-time priority if the system permits it, so that a busy machine does not lengthen a
        /// pulse. Such a thread must sleep until its times, because busy-waiting with this priority would block the
        /// machine.
        case first
        /// The thread has normal priority, and busy-waits for times shorter than ``LineThread/wakeful``.
        case awake
    }

    /// The longest busy-wait. A sleeping thread wakes late by about this time, so the thread does not sleep for
    /// shorter times.
    static let wakeful: Duration = .microseconds(200)

    /// A failure to set or read the lines.
    package struct Trouble: Sendable {
        /// The error of the last call.
        package let error: GPIOError
        /// Whether lines that should be inactive are active or may be active.
        package let isStuck: Bool
        /// Whether the failure has lasted for ``LineThread/lasting`` attempts, or the chip has disappeared.
        package let isLasting: Bool
    }

    /// Passes the bank to the new thread. Only that thread uses the bank afterwards.
    private struct Handover: @unchecked Sendable { let bank: any LineBank }

    private let counter: EventCounter
    private let isEnding = Atomic<Bool>(false)
    private let hasEnded = Atomic<Bool>(false)

    /// Takes over `bank` and starts the thread. Throws if the thread cannot be created.
    ///
    /// - Parameters:
    ///   - name: The name of the thread, at most 15 bytes; ps shows it.
    ///   - timing: The precision with which the thread observes its times.
    ///   - bank: The lines; all are inactive.
    ///   - readBack: The time between two reads of inactive lines; nil: never read them.
    ///   - wanted: Returns the wanted state of the lines at an instant. Called on the thread; must not block.
    ///   - failed: Called on the thread when lines cannot be set or do not have the level that was set: at the first
    ///     failure, again when the failure has lasted, and with nil when the lines have the wanted state again. Must
    ///     not block.
    package init(
        name: String, timing: Timing = .usual, _ bank: sending any LineBank, readBack: Duration? = nil,
        wanted: @escaping @Sendable (Instant) -> Wanted, failed: @escaping @Sendable (Trouble?) -> Void
    ) throws(SystemError) {
        counter = try EventCounter()
        let handover = Handover(bank: bank)
        try Threads.start(name, isFirst: timing == .first) { [self] in
            run(timing, handover.bank, readBack, wanted, failed)
        }
    }

    /// Makes the thread ask for the wanted state at once. Never blocks.
    package func wake() { counter.ring() }

    /// Makes all lines inactive, releases them and ends the thread. Returns whether the thread ended within `limit`.
    package func end(within limit: Duration) -> Bool {
        isEnding.store(true, ordering: .releasing)
        wake()
        return Threads.wait(within: limit) { hasEnded.load(ordering: .acquiring) }
    }

    private func run(
        _ timing: Timing, _ bank: any LineBank, _ readBack: Duration?, _ wanted: (Instant) -> Wanted,
        _ failed: (Trouble?) -> Void
    ) {
        // The lines that are active as far as the thread knows; nil if their state is unknown. Requested lines are
        // inactive at first.
        var applied: Set<String>? = []
        var (isFirst, isStuck, failures) = (true, false, 0)
        var lookedAt = SystemClock.now()
        while !isEnding.load(ordering: .acquiring) {
            // Call this before reading the clock: the thread may be suspended at any point between here and `set`.
            bank.tries(true)
            let now = SystemClock.now()
            let want = wanted(now)
            let look = readBack.map { lookedAt.advanced(by: $0) }
            let isChange = isFirst || want.active != applied
            if want.active.isEmpty || !isChange { bank.tries(false) }
            guard isChange || look.map({ now >= $0 }) ?? false else {
                wait(until: [want.until, look].compactMap { $0 }.min(), timing)
                continue
            }
            do throws(GPIOError) {
                if isChange { try bank.set(active: want.active) }
                // Check only inactive lines: the load of an energised line may pull the voltage at its own pin down.
                if readBack != nil, want.active.isEmpty { try Self.expectRest(bank) }
                if failures > 0 { failed(nil) }
                // The call of `set` may have taken long, so the next turn asks for the wanted state again.
                (applied, isFirst, failures, lookedAt) = (want.active, false, 0, SystemClock.now())
            } catch {
                // After the error, the state of the lines is unknown.
                if let before = applied.take() {
                    isStuck = want.active.isEmpty && (!before.isEmpty || error.isActive)
                }
                failures += 1
                if failures == 1 || failures == Self.lasting {
                    let isLasting = failures > 1 || error.isGone
                    failed(Trouble(error: error, isStuck: isStuck, isLasting: isLasting))
                }
                let retry = SystemClock.now().advanced(by: Self.retryAfter)
                counter.wait(until: min(want.until ?? retry, retry))
            }
        }
        bank.close()
        hasEnded.store(true, ordering: .releasing)
    }

    private func wait(until instant: Instant?, _ timing: Timing) {
        guard timing == .awake, let instant, SystemClock.now().duration(to: instant) < Self.wakeful else {
            return counter.wait(until: instant)
        }
        while SystemClock.now() < instant {}
    }

    private static func expectRest(_ bank: any LineBank) throws(GPIOError) {
        let active = try bank.active()
        guard active.isEmpty else { throw .active(active.sorted()) }
    }
}
