// The codes of the door's conditions, such as a fire alarm or a door that is held open. A condition belongs to no
// visit; like a fault, it lasts for some time.

extension ReasonCode.Group {
    /// All codes of the door, the most serious first.
    package static let door = Self(
        title: "The door",
        codes: [
            .doorFire, .doorTamper, .doorForced, .doorInputs, .doorOrder, .doorTailgating, .doorHeldOpen, .doorInput,
            .doorSchedule,
        ])
}

extension ReasonCode {
    package static let doorFire = ReasonCode(
        "door.fire", "The fire panel reports a fire.",
        "Follow the fire instructions. The fire panel's own wires open the way out, not this box.")
    package static let doorTamper = ReasonCode(
        "door.tamper", "The box or its wiring has been opened.",
        "Check the lid and the loop before the gate continues; then close them.")
    package static let doorForced = ReasonCode(
        "door.forced", "The door was opened although no visitor was admitted.",
        "Check the door and who passed. If people open it by a handle inside, wire the handle's contact as the "
            + "request to exit.")
    package static let doorInputs = ReasonCode(
        "door.inputs", "The inputs at the door cannot be read: passages, requests to exit and alarms are not detected.",
        "Check what the detail names, the chip and gpioinfo. The service reopens the inputs automatically.")
    package static let doorOrder = ReasonCode(
        "door.order",
        "The stored order for the gate cannot be read, or an order cannot be stored. An order that cannot be read "
            + "counts as a lock-down.",
        "Check the disk and the folder of the database, then give the order again: gatehouse door release, or "
            + "gatehouse door lock."
    )
    package static let doorTailgating = ReasonCode(
        "door.tailgating", "Tailgating: more people passed than were admitted.",
        "Check who passed. If it was one person each time, door.wait is shorter than the turnstile's own wait, or the "
            + "light barrier detects one person twice.")
    package static let doorHeldOpen = ReasonCode(
        "door.held-open", "The door has been open for longer than door.heldOpen.", "Close it and check its closer.",
        severity: .warning)
    package static let doorInput = ReasonCode(
        "door.input", "An input at the door is stuck or chatters.",
        "Check the button, the light barrier or the contact that the detail names, its cable and its bias.",
        severity: .warning)
    package static let doorSchedule = ReasonCode(
        "door.schedule",
        "The date is not trusted: the schedule starts no free passage, and a gate that it has locked "
            + "stays locked.",
        "Let a time server set the clock, or fit a battery-backed clock (clock.minimum).", severity: .warning)
}
