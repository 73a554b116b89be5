package import Encoding

/// The answer of a stored status list about one credential.
package struct StatusAnswer: Hashable, Sendable {
    /// The status in the list.
    package enum Value: String, Sendable {
        /// The credential is neither revoked nor suspended.
        case valid
        /// The credential is withdrawn permanently.
        case revoked
        /// The credential is withdrawn temporarily.
        case suspended
        /// The status is unknown: the list is not stored, or this program does not read lists of its kind.
        case unknown
    }

    /// The status in the list.
    package var value: Value
    /// The purpose in the credential's status entry: `revocation`, `suspension` or another purpose.
    package var purpose: Text
    /// The entry in the credential, as a JSON pointer.
    package var pointer: String
    /// The time from the list's date of issue to the verification; nil if the list has no date of issue or is not
    /// stored.
    package var age: Duration?
    /// The time since the end of the list's validity; nil for a valid list.
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
