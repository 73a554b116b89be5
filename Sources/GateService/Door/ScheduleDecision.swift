package import Encoding
package import Kiosk
import Reasons

/// Decides which mode the door's schedule requires, from dates that may be untrustworthy.
///
/// An untrusted date opens nothing: it ends free passage, but no lock-down. Before the first trusted date the time of
/// day is unknown, so a schedule with locked hours begins with a lock-down.
package struct ScheduleDecision: Sendable {
    private let schedule: DoorSchedule
    private var last: DoorMode
    /// The instant of the reading that the schedule used last. The schedule ignores dates of earlier readings.
    private var heard = Instant.zero

    /// Creates the state before the first date.
    package init(_ schedule: DoorSchedule) {
        self.schedule = schedule
        last = schedule.entries.contains { $0.mode == .locked } ? .locked : .normal
    }

    /// Whether the schedule has any entries.
    package var isThere: Bool { !schedule.entries.isEmpty }

    /// Returns the events that apply the schedule at the date `date`, which was read at the instant `now`. A date
    /// with a lower provenance than `minimum` counts as untrusted. Returns an empty list if the schedule is empty, or
    /// if a date that was read later has been applied. The mode in the event is a lease with an end, so that free
    /// passage ends if the schedule is no longer evaluated.
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
