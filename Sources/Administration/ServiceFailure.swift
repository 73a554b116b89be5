/// The reason why the service or a command cannot start, as a text for the operator.
package struct ServiceFailure: Error, Sendable {
    /// The reason in plain words.
    package let message: String
    /// The remedy in plain words; nil if there is none.
    package let remedy: String?

    /// Creates a failure with its reason and its remedy.
    package init(_ message: String, remedy: String?) {
        (self.message, self.remedy) = (message, remedy)
    }
}
