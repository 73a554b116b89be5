package import Encoding
import Glibc
import Synchronization

/// A thread that owns a bank of lines and sees to it that they are as wanted, whatever else in the process is stuck.
///
/// It shares no lock and makes no call but those to its lines and to its clock. Whoever wants something else writes it down in
/// an atomic of its own and calls ``wake()``, which cannot block. A line that cannot be set is tried again every
/// ``retryAfter``; so is the end of a pulse, for as long as it takes. Lines at rest are read back now and then, where that is
/// wanted: a chip that has gone is found before somebody needs it, and a line that something else drives, too.
package final class LineThread: Sendable {
    /// What the lines shall be, and until when that holds.
    package struct Wanted: Sendable {
        /// The names of the active lines.
        package var active: Set<String>
        /// When to ask again at the latest; nil: when woken.
        package var until: Instant?

        /// These lines, until then.
        package init(active: Set<String>, until: Instant? = nil) {
            (self.active, self.until) = (active, until)
        }
    }

    /// The pause before a line that could not be set is tried again.
    package static let retryAfter: Duration = .milliseconds(50)
    /// Attempts that fail one after the other until trouble counts as lasting: half a second.
    package static let lasting = 10

    /// How a thread keeps its times.
    package enum Timing: Sendable {
        /// Like any other thread.
        case usual
        /// With real-time priority where the system allows it, so that a busy machine makes no pulse longer. It always
        /// sleeps until its times: awake it would hold up the machine.
        case first
        /// Awake for times below ``LineThread/wakeful``.
        case awake
    }

    /// What is shorter is waited for awake: who sleeps is late by about as much.
    static let wakeful: Duration = .microseconds(200)

    /// What went wrong with the lines.
    package struct Trouble: Sendable {
        /// What the system said.
        package let error: GPIOError
        /// Whether lines are or may be active that should not be.
        package let isStuck: Bool
        /// Whether it has gone on for a while, or the chip is gone: nobody should count on the lines.
        package let isLasting: Bool
    }

    /// The bank goes to the thread with its start and is used by nobody else from then on.
    private struct Handover: @unchecked Sendable { let bank: any LineBank }

    private let counter: EventCounter
    private let isEnding = Atomic<Bool>(false)
    private let hasEnded = Atomic<Bool>(false)

    /// Takes over `bank` and starts.
    ///
    /// - Parameters:
    ///   - name: At most 15 bytes, shown by ps.
    ///   - timing: How exactly its times are kept.
    ///   - readBack: How often lines at rest are read back; nil: never.
    ///   - wanted: What the lines shall be at an instant. Called on the thread; may not block.
    ///   - failed: Told on the thread when lines cannot be set or are not as they were set: at once, again when it lasts, and nil
    ///     when they are as wanted again. May not block either.
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

    /// Has the thread look at what is wanted now. Never blocks.
    package func wake() { counter.ring() }

    /// Makes all lines inactive, gives them back and ends the thread; whether that was done within `limit`.
    package func end(within limit: Duration) -> Bool {
        isEnding.store(true, ordering: .releasing)
        wake()
        let last = SystemClock.now().advanced(by: limit)
        while !hasEnded.load(ordering: .acquiring) {
            if SystemClock.now() >= last { return false }
            usleep(500)
        }
        return true
    }

    private func run(
        _ timing: Timing, _ bank: any LineBank, _ readBack: Duration?, _ wanted: (Instant) -> Wanted,
        _ failed: (Trouble?) -> Void
    ) {
        // They are taken as inactive; nil: nobody knows what they are.
        var applied: Set<String>? = []
        var (isFirst, isStuck, failures) = (true, false, 0)
        var lookedAt = SystemClock.now()
        while !isEnding.load(ordering: .acquiring) {
            // First of all: the thread may be stopped at any point from here to the call.
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
                // An energised line may pull its pin down; one at rest is to be at rest.
                if readBack != nil, want.active.isEmpty { try Self.expectRest(bank) }
                if failures > 0 { failed(nil) }
                // The call may have taken long: what is wanted by now?
                (applied, isFirst, failures, lookedAt) = (want.active, false, 0, SystemClock.now())
            } catch {
                // Nobody knows what the lines are from here on.
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
