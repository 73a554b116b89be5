import Administration
package import Clocks
package import Encoding
package import LinuxIO
import Synchronization

/// The date for status reports. The call that reads the system's clock may hang, so it runs on a separate thread. On
/// the shared thread pool a few hanging calls would block all other tasks and the end of the program.
package final class TimedClockReader: Sendable {
    /// How long ``now()`` waits for the date.
    package static let patience: Duration = .milliseconds(500)

    private let clock: Clock
    private let question: TimedQuery<WallTime>
    private let last: Mutex<(time: WallTime, at: Instant)>

    /// Creates a reader that calls `look` on a separate thread of its own. Throws if the thread cannot be created.
    package init(
        by clock: Clock, _ spawner: Spawner, _ look: @escaping @Sendable () -> WallTime
    ) throws(SystemError) {
        let thread = try BackgroundThread(name: "gatehouse-look", limit: 1)
        self.clock = clock
        question = TimedQuery(by: clock, spawner) {
            await withCheckedContinuation { continuation in thread.run { continuation.resume(returning: look()) } }
        }
        last = Mutex((WallTime(utc: clock.utc(), provenance: .unset), clock.now()))
    }

    /// Returns the date. If the clock does not answer within ``patience``, returns the last known date plus the time
    /// since then.
    package func now() async -> WallTime {
        guard let time = await question.answer(within: Self.patience) else { return known }
        last.withLock { $0 = (time, clock.now()) }
        return time
    }

    /// The last known date plus the time since then. Does not wait.
    package var known: WallTime {
        last.withLock { last in
            var time = last.time
            let since = last.at.duration(to: clock.now())
            (time.utc, time.alternative) = (time.utc.advanced(by: since), time.alternative?.advanced(by: since))
            time.lastConfirmed = time.lastConfirmed?.advanced(by: since)
            return time
        }
    }
}
