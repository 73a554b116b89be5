package import Encoding

/// The answer of a stored status list about one credential.
package struct StatusAnswer: Hashable, Sendable {
    /// The state that the list gives.
    package enum Value: String, Sendable {
        /// The credential is neither revoked nor suspended.
        case valid
        /// The credential is withdrawn permanently.
        case revoked
        /// The credential is withdrawn temporarily.
        case suspended
        /// The state is unknown: the list is not stored, or is of a kind that this version does not read.
        case unknown
    }

    /// The state that the status list gives.
    package var value: Value
    /// The purpose that the credential's status entry names: `revocation`, `suspension` or another one.
    package var purpose: Text
    /// The entry in the credential, as a JSON pointer.
    package var pointer: String
    /// The time from the list's issue to the verification; nil when the list states no date of issue, or is
    /// not stored.
    package var age: Duration?
    /// The time since the end of the list's own validity; nil while the list is valid.
    package var overdue: Duration?

    /// Creates an answer of a status list.
    package init(
        _ value: Value, purpose: Text, pointer: String, age: Duration? = nil, overdue: Duration? = nil
    ) {
        self.value = value
        self.purpose = purpose
        self.pointer = pointer
        self.age = age
        self.overdue = overdue
    }
}
