import Encoding
import Kiosk
import LinuxIO
import Synchronization

/// Where the system's date came from, looked at every few seconds by a thread of its own: a battery-backed clock hangs on a bus, and
/// nobody who asks for the date waits for that.
final class ClockSources: Sendable {
    /// What was seen at the last look.
    struct Seen: Hashable, Sendable {
        /// What the battery-backed clock says.
        var hardware: HardwareClock
        /// Whether the date is the one that the machine wrote down at its last stop.
        var isSaved: Bool
    }

    /// From one look to the next, and how long the first one is waited for.
    private static let (pause, first): (Duration, Duration) = (.seconds(10), .seconds(1))
    /// A look that took longer says nothing: the clock went on meanwhile.
    private static let longest: Duration = .seconds(2)

    /// What the last look saw, and when the next was asked for. Until there is one, nothing is known of any clock.
    private let state: Mutex<(seen: Seen, askedAt: Instant)>
    private let thread: SideThread?
    private let root: String
    private let made: Timestamp

    /// Takes the first look, and waits for it a moment.
    ///
    /// - Parameters:
    ///   - root: What stands before /sys, /etc and /var; empty: this machine.
    ///   - made: The day on which this program was made.
    init(root: String = "", made: Timestamp) {
        (self.root, self.made) = (root, made)
        thread = try? SideThread(name: "gatehouse-rtc", limit: 1)
        state = Mutex((Seen(hardware: .absent, isSaved: false), SystemClock.now()))
        ask()
        _ = thread?.flush(within: Self.first)
    }

    /// What was seen last.
    func seen(at now: Instant) -> Seen {
        let (seen, isDue) = state.withLock { state in
            let isDue = state.askedAt.duration(to: now) >= Self.pause
            if isDue { state.askedAt = now }
            return (state.seen, isDue)
        }
        if isDue { ask() }
        return seen
    }

    private func ask() { thread?.run { [weak self] in self?.look() } }

    private func look() {
        let (start, before) = (SystemClock.now(), SystemClock.utc())
        let clock = BatteryClock.all(root: root).first(where: \.isUsed)
        let (saved, now, utc) = (SavedDate.all(root: root), SystemClock.now(), SystemClock.utc())
        let took = start.duration(to: now)
        let uptime = Instant.zero.duration(to: now)
        let isSaved = saved.contains { $0.date >= made && $0.explains(utc, uptime: uptime) }
        state.withLock { state in
            state.seen.isSaved = isSaved
            guard before <= utc else { return }
            let hardware = clock.map { clock in
                HardwareClock(
                    showing: took <= Self.longest ? clock.seconds : nil, at: utc, uptime: uptime, made: made)
            }
            // One that told its date and does not any more has not become another.
            if hardware == .silent, state.seen.hardware == .agrees { return }
            state.seen.hardware = hardware ?? .absent
        }
    }
}
