import Credentials
package import Encoding
package import Kiosk

/// What the schedule says by dates that may be worth nothing.
///
/// By such a date nothing is opened: free passage ends, and a lock-down stays. Before the first good one nobody knows whether it is night,
/// so a schedule that has locked hours says that these are some.
package struct ScheduleWord: Sendable {
    private let schedule: DoorSchedule
    private var last: DoorMode
    /// When the newest date was asked for.
    private var heard = Instant.zero

    /// Of that schedule, of which nothing has been heard yet.
    package init(_ schedule: DoorSchedule) {
        self.schedule = schedule
        last = schedule.entries.contains { $0.mode == .locked } ? .locked : .normal
    }

    /// Whether it says anything.
    package var isThere: Bool { !schedule.entries.isEmpty }

    /// What the kiosk is told by a date that was asked for at `now` and must be worth `minimum`; nothing where there is no schedule, or a
    /// newer date has come before. The mode comes as a lease, so that a schedule that nobody watches any more opens no gate.
    package mutating func events(
        by date: WallTime, minimum: WallTime.Provenance, at now: Instant
    ) -> [KioskEvent] {
        guard isThere, now >= heard else { return [] }
        heard = now
        let mode = schedule.mode(at: date, minimum: minimum)
        last = mode ?? (last == .locked ? .locked : .normal)
        return [
            .health(mode == nil ? .present(.doorSchedule) : .over(.doorSchedule)),
            .door(.schedule(last, until: now.advanced(by: DoorSettings.scheduleLease))),
        ]
    }
}
