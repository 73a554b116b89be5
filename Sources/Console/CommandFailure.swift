/// A failure for a person: the fault and its remedy.
package struct CommandFailure: Error {
    /// The fault, in one or more lines.
    package let message: String
    /// What a person can do about it; nil if the message says it.
    package let remedy: String?
    /// The exit code of the program.
    package let exitCode: Int32

    /// Creates a failure; by default of the kind "usage, configuration or input/output".
    package init(_ message: String, remedy: String? = nil, exitCode: Int32 = 2) {
        (self.message, self.remedy, self.exitCode) = (message, remedy, exitCode)
    }

    /// Returns a failure with all problems of a thing, each with its place and remedy on a line of its own.
    package static func problems(_ thing: String, _ count: Int, _ lines: String) -> CommandFailure {
        let head = "\(thing) cannot be used: \(count) problem\(count == 1 ? "" : "s")"
        return CommandFailure(head + "\n" + lines)
    }
}
