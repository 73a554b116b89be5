// Conditions at the door that are independent of the visits. Like faults of the gate they begin, last for a
// while and end.

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
        "Follow the fire orders. The way out is opened by the panel's own wires, not by this box.")
    package static let doorTamper = ReasonCode(
        "door.tamper", "The box or its wiring has been opened.",
        "Look at the lid and the loop before the gate goes on; then close them.")
    package static let doorForced = ReasonCode(
        "door.forced", "The door was opened although nobody was let through.",
        "Look at the door, and at who passed. If it is a handle inside, wire its contact as the request to exit.")
    package static let doorInputs = ReasonCode(
        "door.inputs", "The inputs at the door cannot be read: passages, requests and alarms go unseen.",
        "Look at what the detail says, at the chip and at gpioinfo; they are taken again by themselves.")
    package static let doorOrder = ReasonCode(
        "door.order",
        "The order for the gate that was kept cannot be read, or not be kept. One that cannot be read counts as a lock-down.",
        "Look at the disk and the folder of the database; then say it anew: gatehouse door release, or gatehouse door lock."
    )
    package static let doorTailgating = ReasonCode(
        "door.tailgating", "More people passed than were let in.",
        "Look at who passed. If it was one person each time, door.wait is shorter than the turnstile's own wait, or the light "
            + "barrier sees one person twice.")
    package static let doorHeldOpen = ReasonCode(
        "door.held-open", "The door has been open for longer than door.heldOpen.", "Close it; look at its closer.",
        severity: .warning)
    package static let doorInput = ReasonCode(
        "door.input", "An input at the door is stuck or chatters.",
        "Look at the button, the light barrier or the contact that is named, at its cable and its bias.",
        severity: .warning)
    package static let doorSchedule = ReasonCode(
        "door.schedule", "The date is not trusted: no free passage by the schedule, and what it locked stays locked.",
        "Let a time server set the clock, or fit a battery-backed one (clock.minimum).", severity: .warning)
}
