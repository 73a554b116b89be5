package import Encoding
package import Kiosk
import Reasons

/// The schedule's events for the kiosk, derived from dates that may be untrustworthy.
///
/// An untrusted date opens nothing: it ends free passage, but not a lock-down. Before the first trusted date
/// the time of day is unknown, so a schedule with locked hours starts with a lock-down.
package struct ScheduleDecision: Sendable {
    private let schedule: DoorSchedule
    private var last: DoorMode
    /// The instant at which the newest date was read.
    private var heard = Instant.zero

    /// Creates the state of a schedule before its first date.
    package init(_ schedule: DoorSchedule) {
        self.schedule = schedule
        last = schedule.entries.contains { $0.mode == .locked } ? .locked : .normal
    }

    /// Whether the schedule has entries.
    package var isThere: Bool { !schedule.entries.isEmpty }

    /// Returns the kiosk's events for a date that was read at `now` and must have the provenance `minimum`;
    /// an empty list if the schedule is empty, or if a newer date was applied before. The mode in an event
    /// has an end, so that a schedule that is no longer evaluated does not keep the gate open.
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
