/// The reason why the service or a command cannot start, as the operator reads it.
package struct ServiceFailure: Error, Sendable {
    /// The description of the failure.
    package let message: String
    /// The remedy.
    package let remedy: String?

    /// Creates a failure with its text and its remedy.
    package init(_ message: String, remedy: String?) {
        (self.message, self.remedy) = (message, remedy)
    }
}
