/// Why the service or a command of it cannot begin: what an operator reads, and the exit code.
package struct ServiceFailure: Error, Sendable {
    /// What is wrong.
    package let message: String
    /// What to do about it.
    package let remedy: String?

    /// A failure with its remedy.
    package init(_ message: String, remedy: String?) {
        (self.message, self.remedy) = (message, remedy)
    }
}
