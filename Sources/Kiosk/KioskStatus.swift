package import Encoding

/// The state of the kiosk at one moment, for status reports.
package struct KioskStatus: Sendable {
    /// The state of the radio.
    package enum Radio: String, Sendable {
        /// Closed, and waiting to be opened again.
        case down
        /// The controller is being set up.
        case starting
        /// Advertising, or serving as many phones as it can.
        case up
        /// The kiosk was shut down.
        case stopped
    }

    /// The instant of this state.
    package let at: Instant
    /// The radio.
    package let radio: Radio
    /// The controller's own description; nil before it was ready for the first time.
    package let controller: String?
    /// What the light shows.
    package let light: IndicatorPattern
    /// Whether the relay is energised.
    package let isGateOpen: Bool
    /// The door.
    package let door: DoorStatus
    /// Phones that are connected.
    package let phones: Int
    /// Counts since the start.
    package let counters: Kiosk.Counters
    /// The faults in force.
    package let health: Health
}

extension KioskStatus {
    /// Creates the status of a kiosk that cannot begin yet; `health` says why.
    package init(waiting health: Health, at now: Instant) {
        self.init(
            at: now, radio: .down, controller: nil, light: .fault, isGateOpen: false,
            door: Door(settings: DoorSettings()).status, phones: 0,
            counters: Kiosk.Counters(), health: health)
    }
}
