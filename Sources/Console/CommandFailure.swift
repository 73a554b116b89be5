/// A failure for a person: the fault and its remedy.
package struct CommandFailure: Error {
    /// The fault, in one or more lines.
    package let message: String
    /// The remedy; nil if the message contains it.
    package let remedy: String?
    /// The exit code of the program.
    package let exitCode: Int32

    /// Creates a failure; by default of the kind "usage, configuration or input/output".
    package init(_ message: String, remedy: String? = nil, exitCode: Int32 = 2) {
        (self.message, self.remedy, self.exitCode) = (message, remedy, exitCode)
    }

    /// Returns a failure with all problems of a thing, each with its position and remedy on a separate line.
    package static func problems(_ thing: String, _ count: Int, _ lines: String) -> CommandFailure {
        let head = "\(thing) cannot be used: \(count) problem\(count == 1 ? "" : "s")"
        return CommandFailure(head + "\n" + lines)
    }
}
