package import Credentials
package import Encoding

/// The hours in which passage is free and in which the gate is locked down, in local time at the gate.
package struct DoorSchedule: Hashable, Sendable {
    /// A mode and the hours in which it holds.
    package struct Entry: Hashable, Sendable {
        /// The mode of the door.
        package let mode: DoorMode
        /// The hours in which the mode is in force.
        package let hours: GateHours

        /// Creates an entry of a schedule: `mode` is in force in `hours`.
        package init(_ mode: DoorMode, _ hours: GateHours) { (self.mode, self.hours) = (mode, hours) }
    }

    /// The entries, in any order.
    package var entries: [Entry] = []
    /// The time zone of the gate.
    package var zone = CivilZone.utc

    /// Creates an empty schedule.
    package init() {}

    /// Returns the mode that the schedule sets at a date. If their hours overlap, lock-down has priority over free
    /// passage. If other dates may be right as well, the result is the most restrictive of their modes. Returns nil
    /// for a date whose provenance is below `minimum`: the schedule then sets no mode, so that a wrong clock opens no
    /// gate. No lock-down is missed, because the gate admits no visitor at such a date.
    package func mode(at time: WallTime, minimum: WallTime.Provenance) -> DoorMode? {
        if entries.isEmpty { return .normal }
        guard time.provenance >= minimum else { return nil }
        let end = entries.contains { $0.mode == .locked } ? DoorMode.locked : .normal
        var least = DoorMode.free
        for date in time.moments {
            if least == end { break }
            let held = mode(at: date)
            if held == .locked || least == .free { least = held }
        }
        return least
    }

    private func mode(at date: Timestamp) -> DoorMode {
        let modes = entries.filter { $0.hours.contains(date, in: zone) }.map(\.mode)
        return [.locked, .free].first(where: modes.contains) ?? .normal
    }
}
