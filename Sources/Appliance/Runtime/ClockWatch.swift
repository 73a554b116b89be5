import Encoding
import Synchronization

/// Knows how long the clock has run without a time server, as far as this process has seen it: the last time that somebody
/// asked and it was synchronised. After a start without network nobody knows, and a policy with `max-unsynced` waits.
final class ClockWatch: Sendable {
    private let lastSynchronised = Mutex<Instant?>(nil)

    /// The date with that knowledge; `now` is its moment on the monotonic clock.
    func annotate(_ time: WallTime, at now: Instant) -> WallTime {
        lastSynchronised.withLock { last in
            if time.provenance >= .synchronised { last = now }
            var time = time
            time.unsynchronised = last.map { $0.duration(to: now) }
            return time
        }
    }
}
