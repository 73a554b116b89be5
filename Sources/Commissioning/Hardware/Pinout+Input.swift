import Encoding

extension Pinout {
    /// A contact at the door that connects a line to ground.
    package struct Input: Hashable, Sendable {
        /// The event that the input reports, as in the configuration (`door.input.use`).
        package let use: String
        /// The name of the input's line.
        package let line: String
        /// The number of the pin on the 40-pin header.
        package let pin: Int
        /// Whether the high level is the active level: the contact then opens when the input becomes active. If false,
        /// the contact closes when the input becomes active.
        package let activeHigh: Bool
        /// The thing that is connected to the input, in words.
        package let shows: String
        /// Further notes for the installer.
        package let notes: String
    }
}

extension Pinout.Input {
    init(_ section: PinoutSection) throws(Pinout.Failure) {
        try section.knows("use", "line", "pin", "active", "shows", "notes")
        (line, pin) = try section.place()
        guard let number = Header.number(of: line), !Header.console.contains(number) else {
            throw section.failure("\(line) is driven by the serial console: a closed contact would short it")
        }
        activeHigh = try Pinout.isHigh(section)
        (use, shows, notes) = (try section.text("use"), try section.text("shows"), try section.text("notes"))
    }
}
