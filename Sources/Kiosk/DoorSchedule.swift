package import Credentials
package import Encoding

/// When passage is free and when the gate is locked down, in local time at the gate.
package struct DoorSchedule: Hashable, Sendable {
    /// A mode and the hours in which it holds.
    package struct Entry: Hashable, Sendable {
        /// The mode.
        package let mode: DoorMode
        /// The hours.
        package let hours: GateHours

        /// Creates an entry of that mode in those hours.
        package init(_ mode: DoorMode, _ hours: GateHours) { (self.mode, self.hours) = (mode, hours) }
    }

    /// The entries, in any order.
    package var entries: [Entry] = []
    /// The time zone of the gate.
    package var zone = CivilZone.utc

    /// Creates an empty schedule.
    package init() {}

    /// Returns the mode that holds at a date. Lock-down has priority over free passage if their hours
    /// overlap. If other dates may be right as well, the mode that opens least holds. Nil for a date below
    /// `minimum`: then no mode holds, so that a wrong clock opens no gate. No lock-down is missed by that,
    /// because such a date admits no visitor.
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
