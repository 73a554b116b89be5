import Clocks
import Encoding
import Kiosk
import LinuxIO
import Synchronization

/// The source of the system's date. A thread of its own checks the clocks every few seconds: a battery-backed
/// clock is on a bus and may block, and callers that need the date must not wait for it.
final class ClockSources: Sendable {
    /// The result of the last check.
    struct Seen: Hashable, Sendable {
        /// The result of the battery-backed clock.
        var hardware: HardwareClock
        /// Whether the date is the one that the machine saved at its last stop.
        var isSaved: Bool
        /// Whether the battery-backed clock does not give its date at present, or blocks its readers.
        var isSilent = false
    }

    /// The time from one check of the clocks to the next (`pause`), and the maximum wait for the first check
    /// (`first`).
    private static let (pause, first): (Duration, Duration) = (.seconds(10), .seconds(1))
    /// The longest duration of a check. A longer check has no result, because the clock advanced in the
    /// meantime.
    private static let longest: Duration = .seconds(2)

    private struct State {
        /// The result of the last check. Before the first check, nothing is known about any clock.
        var seen = Seen(hardware: .absent, isSaved: false)
        /// The instant at which the last check was requested.
        var askedAt: Instant
        /// The instant since which the clocks are being read; nil while they are not being read.
        var readingSince: Instant?
    }

    private let state: Mutex<State>
    private let clock: Clock
    private let perform: @Sendable (_ check: @escaping @Sendable () -> Void) -> Void
    private let root: String
    private let made: Timestamp
    private let clocks: @Sendable () -> [BatteryClock]

    /// Starts the first check, on a thread of its own, and waits a moment for its result.
    ///
    /// - Parameters:
    ///   - root: The prefix of /sys, /etc and /var; empty: this machine.
    ///   - made: The day on which this program was built.
    ///   - clock: The clocks that the date is taken from.
    convenience init(root: String = "", made: Timestamp, clock: Clock) {
        let thread = try? BackgroundThread(name: "gatehouse-rtc", limit: 1)
        self.init(root: root, made: made, clock: clock, perform: { thread?.run($0) })
        _ = thread?.flush(within: Self.first)
    }

    /// Starts the first check. `clocks` reads battery-backed clocks in place of the machine's, and may block. `perform`
    /// runs each check; a simulation runs it at once.
    init(
        root: String, made: Timestamp, clock: Clock, clocks: (@Sendable () -> [BatteryClock])? = nil,
        perform: @escaping @Sendable (_ check: @escaping @Sendable () -> Void) -> Void
    ) {
        (self.root, self.made, self.clock, self.perform) = (root, made, clock, perform)
        self.clocks = clocks ?? { BatteryClock.all(root: root) }
        state = Mutex(State(askedAt: clock.now()))
        ask()
    }

    /// Returns the result of the last check.
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

    private func ask() { perform { [weak self] in self?.look() } }

    private func look() {
        let (start, before) = (clock.now(), clock.utc())
        state.withLock { $0.readingSince = start }
        let hardware = clocks().first(where: \.isUsed)
        state.withLock { $0.readingSince = nil }
        let (saved, now, utc) = (SavedDate.all(root: root), clock.now(), clock.utc())
        let took = start.duration(to: now)
        let uptime = Instant.zero.duration(to: now)
        let isSaved = saved.contains { $0.date >= made && $0.explains(utc, uptime: uptime) }
        state.withLock { state in
            state.seen.isSaved = isSaved
            guard before <= utc else { return }
            let before = state.seen.hardware
            let seen =
                hardware.map { clock in
                    HardwareClock(
                        showing: took <= Self.longest ? clock.seconds : nil, at: utc, uptime: uptime, made: made)
                } ?? (before == .absent ? .absent : .silent)
            state.seen.isSilent = seen == .silent
            // A clock that agreed and is now silent or missing is still the same clock: the date stays as
            // trusted as before.
            if seen == .silent, before == .agrees { return }
            state.seen.hardware = seen
        }
    }
}
