package import Encoding
import Synchronization

/// A thread that owns a bank of lines and keeps them in the wanted state, even when other parts of the
/// process are stuck.
///
/// The thread shares no lock and uses only its lines and its clock. To request a change, a caller stores it
/// in its own atomic and calls ``wake()``, which cannot block. The thread sets a line again every
/// ``retryAfter`` after a failure; it also retries the end of a pulse until it succeeds. If `readBack` is
/// set, lines at rest are read back periodically. Reading back finds a chip that has disappeared before a
/// visitor needs it, and a line that another device drives.
package final class LineThread: Sendable {
    /// The wanted state of the lines, and how long the state has to last.
    package struct Wanted: Sendable {
        /// The names of the lines that should be active at the instant.
        package var active: Set<String>
        /// The latest instant at which the thread asks again; nil: when woken.
        package var until: Instant?

        /// Creates a state that holds until `until`.
        package init(active: Set<String>, until: Instant? = nil) {
            (self.active, self.until) = (active, until)
        }
    }

    /// The pause before the thread sets a line again after a failure.
    package static let retryAfter: Duration = .milliseconds(50)
    /// The number of consecutive failures after which a fault counts as lasting: half a second.
    package static let lasting = 10

    /// How precisely a thread keeps its times.
    package enum Timing: Sendable {
        /// The thread has normal priority.
        case usual
        /// The thread has real-time priority if the system allows it, so that a busy machine does not
        /// lengthen a pulse. The thread always sleeps until its times: with this priority, busy-waiting would
        /// block the machine.
        case first
        /// The thread busy-waits for times below ``LineThread/wakeful``.
        case awake
    }

    /// The longest busy-wait. Waking from sleep is late by about this time, so the thread does not sleep for
    /// shorter waits.
    static let wakeful: Duration = .microseconds(200)

    /// A failure of the lines.
    package struct Trouble: Sendable {
        /// The error of the system.
        package let error: GPIOError
        /// Whether lines are active, or might be active, that should be inactive.
        package let isStuck: Bool
        /// Whether the failure has lasted for some time, or the chip is gone: the lines cannot be relied on.
        package let isLasting: Bool
    }

    /// Passes the bank to the thread at its start. Nothing else uses the bank afterwards.
    private struct Handover: @unchecked Sendable { let bank: any LineBank }

    private let counter: EventCounter
    private let isEnding = Atomic<Bool>(false)
    private let hasEnded = Atomic<Bool>(false)

    /// Takes over `bank` and starts the thread.
    ///
    /// - Parameters:
    ///   - name: The name that ps shows, at most 15 bytes.
    ///   - timing: How exactly the thread keeps its times.
    ///   - readBack: How often lines at rest are read back; nil: never.
    ///   - wanted: Returns the wanted state of the lines at an instant. Called on the thread; must not block.
    ///   - failed: Called on the thread when lines cannot be set or do not have the state that was set: at
    ///     once, again when the failure lasts, and with nil when the lines are as wanted again. Must not
    ///     block.
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

    /// Makes the thread ask for the wanted state now. Never blocks.
    package func wake() { counter.ring() }

    /// Makes all lines inactive, releases them and ends the thread. Returns whether that was done within
    /// `limit`.
    package func end(within limit: Duration) -> Bool {
        isEnding.store(true, ordering: .releasing)
        wake()
        return Threads.wait(within: limit) { hasEnded.load(ordering: .acquiring) }
    }

    private func run(
        _ timing: Timing, _ bank: any LineBank, _ readBack: Duration?, _ wanted: (Instant) -> Wanted,
        _ failed: (Trouble?) -> Void
    ) {
        // The lines that are active as far as the thread knows; nil: their state is unknown. Lines are
        // inactive when they are taken.
        var applied: Set<String>? = []
        var (isFirst, isStuck, failures) = (true, false, 0)
        var lookedAt = SystemClock.now()
        while !isEnding.load(ordering: .acquiring) {
            // Make this call first: the thread may be suspended at any point between here and `set`.
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
                // Check only lines at rest: an energised line may pull its own pin down.
                if readBack != nil, want.active.isEmpty { try Self.expectRest(bank) }
                if failures > 0 { failed(nil) }
                // The call may have taken long: the next turn asks again for the wanted state.
                (applied, isFirst, failures, lookedAt) = (want.active, false, 0, SystemClock.now())
            } catch {
                // From here on, the state of the lines is unknown.
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
