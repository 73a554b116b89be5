package import Encoding

/// What can be known about the kiosk at one moment, for whoever asks how it is.
package struct KioskStatus: Sendable {
    /// What the radio is doing.
    package enum Radio: String, Sendable {
        /// Closed, and waiting to be opened anew.
        case down
        /// The controller is being set up.
        case starting
        /// On the air, or with as many phones as it can serve.
        case up
        /// The kiosk was shut down.
        case stopped
    }

    /// When this was so.
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
    /// What has happened since the start.
    package let counters: Kiosk.Counters
    /// What is wrong.
    package let health: Health
}

extension KioskStatus {
    /// Of a kiosk that cannot begin yet; `health` says why.
    package init(waiting health: Health, at now: Instant) {
        self.init(
            at: now, radio: .down, controller: nil, light: .fault, isGateOpen: false,
            door: Door(settings: DoorSettings()).status, phones: 0,
            counters: Kiosk.Counters(), health: health)
    }
}
