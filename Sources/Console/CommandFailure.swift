/// A failure that a command reports to a person: the fault and its remedy.
package struct CommandFailure: Error {
    /// The fault, in one or more lines.
    package let message: String
    /// The remedy; nil if there is none, or if the message contains it.
    package let remedy: String?
    /// The exit code of the program.
    package let exitCode: Int32

    /// Creates a failure. The default exit code 2 means an error of usage, configuration, input or output.
    package init(_ message: String, remedy: String? = nil, exitCode: Int32 = 2) {
        (self.message, self.remedy, self.exitCode) = (message, remedy, exitCode)
    }

    /// Returns one failure for all problems of a thing, such as "the configuration". `lines` contains each problem with
    /// its position and remedy; `count` is their number.
    package static func problems(_ thing: String, _ count: Int, _ lines: String) -> CommandFailure {
        let head = "\(thing) cannot be used: \(count) problem\(count == 1 ? "" : "s")"
        return CommandFailure(head + "\n" + lines)
    }
}
