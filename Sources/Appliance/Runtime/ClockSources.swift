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
        /// Whether the battery-backed clock does not tell its date now, or keeps whoever asks it waiting.
        var isSilent = false
    }

    /// From one look to the next, and how long the first one is waited for.
    private static let (pause, first): (Duration, Duration) = (.seconds(10), .seconds(1))
    /// A look that took longer says nothing: the clock went on meanwhile.
    private static let longest: Duration = .seconds(2)

    private struct State {
        /// What the last look saw. Until there is one, nothing is known of any clock.
        var seen = Seen(hardware: .absent, isSaved: false)
        /// When the next look was asked for.
        var askedAt: Instant
        /// Since when the clocks are being read; nil: they are not.
        var readingSince: Instant?
    }

    private let state: Mutex<State>
    private let thread: SideThread?
    private let root: String
    private let made: Timestamp
    private let clocks: @Sendable () -> [BatteryClock]

    /// Takes the first look, and waits for it a moment.
    ///
    /// - Parameters:
    ///   - root: What stands before /sys, /etc and /var; empty: this machine.
    ///   - made: The day on which this program was made.
    ///   - clocks: Reads the battery-backed clocks in place of the machine's; may take its time.
    init(root: String = "", made: Timestamp, clocks: (@Sendable () -> [BatteryClock])? = nil) {
        (self.root, self.made) = (root, made)
        self.clocks = clocks ?? { BatteryClock.all(root: root) }
        thread = try? SideThread(name: "gatehouse-rtc", limit: 1)
        state = Mutex(State(askedAt: SystemClock.now()))
        ask()
        _ = thread?.flush(within: Self.first)
    }

    /// What was seen last.
    func seen(at now: Instant) -> Seen {
        let (seen, isDue) = state.withLock { state in
            let isDue = state.askedAt.duration(to: now) >= Self.pause
            if isDue { state.askedAt = now }
            var seen = state.seen
            if let since = state.readingSince, since.duration(to: now) > Self.longest { seen.isSilent = true }
            return (seen, isDue)
        }
        if isDue { ask() }
        return seen
    }

    private func ask() { thread?.run { [weak self] in self?.look() } }

    private func look() {
        let (start, before) = (SystemClock.now(), SystemClock.utc())
        state.withLock { $0.readingSince = start }
        let clock = clocks().first(where: \.isUsed)
        state.withLock { $0.readingSince = nil }
        let (saved, now, utc) = (SavedDate.all(root: root), SystemClock.now(), SystemClock.utc())
        let took = start.duration(to: now)
        let uptime = Instant.zero.duration(to: now)
        let isSaved = saved.contains { $0.date >= made && $0.explains(utc, uptime: uptime) }
        state.withLock { state in
            state.seen.isSaved = isSaved
            guard before <= utc else { return }
            let before = state.seen.hardware
            let hardware =
                clock.map { clock in
                    HardwareClock(
                        showing: took <= Self.longest ? clock.seconds : nil, at: utc, uptime: uptime, made: made)
                } ?? (before == .absent ? .absent : .silent)
            state.seen.isSilent = hardware == .silent
            // One that told its date and does not any more, or is gone, has not become another: the date is still as good as it was.
            if hardware == .silent, before == .agrees { return }
            state.seen.hardware = hardware
        }
    }
}
