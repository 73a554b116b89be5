package import Encoding

/// The state of the kiosk at one moment, for status reports.
package struct KioskStatus: Sendable {
    /// The state of the radio.
    package enum Radio: String, Sendable {
        /// The radio is closed and waits to be opened again.
        case down
        /// The controller is being set up.
        case starting
        /// The radio advertises, or has as many phones as it can.
        case up
        /// The kiosk was shut down.
        case stopped
    }

    /// The instant of this state.
    package let at: Instant
    /// The state of the radio.
    package let radio: Radio
    /// The description of the controller; nil before the controller was ready for the first time.
    package let controller: String?
    /// The indicator pattern that the light shows.
    package let light: IndicatorPattern
    /// Whether the relay is energised.
    package let isGateOpen: Bool
    /// The state of the door.
    package let door: DoorStatus
    /// The number of connected phones.
    package let phones: Int
    /// The numbers of visits and other events since the start.
    package let counters: Kiosk.Counters
    /// The faults in force.
    package let health: Health
}

extension KioskStatus {
    /// Creates the status of a kiosk that cannot begin yet. `health` contains the reason.
    package init(waiting health: Health, at now: Instant) {
        self.init(
            at: now, radio: .down, controller: nil, light: .fault, isGateOpen: false,
            door: Door(settings: DoorSettings()).status, phones: 0,
            counters: Kiosk.Counters(), health: health)
    }
}
