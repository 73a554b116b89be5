package import Credentials
package import Encoding

/// When passage is free and when the gate is locked down, by the clock on the wall beside it.
package struct DoorSchedule: Hashable, Sendable {
    /// Hours and what holds in them.
    package struct Entry: Hashable, Sendable {
        /// What holds.
        package let mode: DoorMode
        /// When.
        package let hours: GateHours

        /// That mode in those hours.
        package init(_ mode: DoorMode, _ hours: GateHours) { (self.mode, self.hours) = (mode, hours) }
    }

    /// In any order.
    package var entries: [Entry] = []
    /// Where the gate stands.
    package var zone = CivilZone.utc

    /// No schedule.
    package init() {}

    /// What holds at a date: lock-down before free passage, where hours of both meet. Where other dates may be right as well, what
    /// opens least of all. Nil for a date that is not worth `minimum`: then nothing holds, so that a wrong clock opens no gate. A
    /// lock-down is not missed by that, as no visitor is let in by such a date.
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
