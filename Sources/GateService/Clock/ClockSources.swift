import Clocks
import Encoding
import Kiosk
import LinuxIO
import Synchronization

/// The origin of the machine's date: whether a battery-backed clock confirms the date, and whether the machine saved
/// the date at its last stop. A separate thread checks that at intervals, because a battery-backed clock is on a bus
/// and a read of it may block. Callers get the result of the last check.
final class ClockSources: Sendable {
    /// The result of the last check.
    struct Seen: Hashable, Sendable {
        /// Whether the battery-backed clock confirms the date.
        var hardware: HardwareClock
        /// Whether the date is the one that the machine saved at its last stop, plus the time since.
        var isSaved: Bool
        /// Whether the battery-backed clock at present returns no date, or a read of it blocks.
        var isSilent = false
    }

    /// `pause`: the time from one check of the clocks to the next. `first`: the maximum time that the creation of
    /// this object waits for the first check.
    private static let (pause, first): (Duration, Duration) = (.seconds(10), .seconds(1))
    /// The longest time that a reading of the battery-backed clock may take. The result of a longer reading is
    /// ignored, because the clock advanced during the reading.
    private static let longest: Duration = .seconds(2)

    private struct State {
        /// The result of the last check. The initial value says that the machine has no battery-backed clock and no
        /// saved date.
        var seen = Seen(hardware: .absent, isSaved: false)
        /// The instant at which the last check was requested.
        var askedAt: Instant
        /// The instant at which the present reading of the battery-backed clocks began; nil while no reading is in
        /// progress.
        var readingSince: Instant?
    }

    private let state: Mutex<State>
    private let clock: Clock
    private let perform: @Sendable (_ check: @escaping @Sendable () -> Void) -> Void
    private let root: String
    private let made: Timestamp
    private let clocks: @Sendable () -> [BatteryClock]

    /// Starts the first check on a separate thread and waits up to 1 s for its result.
    ///
    /// - Parameters:
    ///   - root: The prefix of the paths /sys, /etc and /var. An empty prefix means this machine.
    ///   - made: The day on which this program was built.
    ///   - clock: Returns the date and the instant.
    convenience init(root: String = "", made: Timestamp, clock: Clock) {
        let thread = try? BackgroundThread(name: "gatehouse-rtc", limit: 1)
        self.init(root: root, made: made, clock: clock, perform: { thread?.run($0) })
        _ = thread?.flush(within: Self.first)
    }

    /// Starts the first check. `clocks` reads the battery-backed clocks, and may block; nil: read those of the
    /// machine. `perform` runs each check; a simulation runs it at once.
    init(
        root: String, made: Timestamp, clock: Clock, clocks: (@Sendable () -> [BatteryClock])? = nil,
        perform: @escaping @Sendable (_ check: @escaping @Sendable () -> Void) -> Void
    ) {
        (self.root, self.made, self.clock, self.perform) = (root, made, clock, perform)
        self.clocks = clocks ?? { BatteryClock.all(root: root) }
        state = Mutex(State(askedAt: clock.now()))
        ask()
    }

    /// Returns the result of the last check, and requests a new check if the last one was requested at least 10 s
    /// ago. Does not block.
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
            // If a battery-backed clock that confirmed the date is now silent or missing, keep its last result: the
            // date is still as trustworthy as before.
            if seen == .silent, before == .agrees { return }
            state.seen.hardware = seen
        }
    }
}
