import CLinuxShims
package import Encoding
import Glibc
import Synchronization

/// A thread that owns a bank of lines and sees to it that they are as wanted, whatever else in the process is stuck.
///
/// It shares no lock and makes no call but those to its lines and to its clock. Whoever wants something else writes it down in
/// an atomic of its own and calls ``wake()``, which cannot block. A line that cannot be set is tried again every
/// ``retryAfter``; so is the end of a pulse, for as long as it takes.
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

    /// The bank goes to the thread with its start and is used by nobody else from then on.
    private struct Handover: @unchecked Sendable { let bank: any LineBank }

    private let descriptor: Int32
    private let isEnding = Atomic<Bool>(false)
    private let hasEnded = Atomic<Bool>(false)

    /// Takes over `bank` and starts.
    ///
    /// - Parameters:
    ///   - name: At most 15 bytes, shown by ps.
    ///   - wanted: What the lines shall be at an instant. Called on the thread; may not block.
    ///   - failed: Told on the thread when a line cannot be set, once, with what was wanted, and nil when it can be again. May not
    ///     block either.
    package init(
        name: String, _ bank: sending any LineBank, wanted: @escaping @Sendable (Instant) -> Wanted,
        failed: @escaping @Sendable (GPIOError?, Set<String>) -> Void
    ) throws(SystemError) {
        let wake = clinux_eventfd()
        guard wake >= 0 else { throw SystemError("creating an event counter", code: -wake) }
        descriptor = wake
        let handover = Handover(bank: bank)
        do throws(SystemError) {
            try Threads.start(name) { [self] in run(handover.bank, wanted, failed) }
        } catch {
            Glibc.close(wake)
            throw error
        }
    }

    deinit { Glibc.close(descriptor) }

    /// Has the thread look at what is wanted now. Never blocks.
    package func wake() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

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
        _ bank: any LineBank, _ wanted: (Instant) -> Wanted, _ failed: (GPIOError?, Set<String>) -> Void
    ) {
        var applied: Set<String>?
        var isFailing = false
        while !isEnding.load(ordering: .acquiring) {
            let want = wanted(SystemClock.now())
            var next = want.until
            if want.active != applied {
                do throws(GPIOError) {
                    try bank.set(active: want.active)
                    applied = want.active
                    if isFailing { failed(nil, want.active) }
                    isFailing = false
                    // The call may have taken long: what is wanted by now?
                    continue
                } catch {
                    // Nobody knows what the lines are.
                    applied = nil
                    if !isFailing { failed(error, want.active) }
                    isFailing = true
                    let retry = SystemClock.now().advanced(by: Self.retryAfter)
                    next = min(want.until ?? retry, retry)
                }
            }
            wait(until: next)
        }
        bank.close()
        hasEnded.store(true, ordering: .releasing)
    }

    private func wait(until instant: Instant?) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let limit = instant.map { max(0, SystemClock.now().duration(to: $0).nanoseconds) } ?? -1
        guard clinux_poll(&entry, 1, limit) > 0 else { return }
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }
}
