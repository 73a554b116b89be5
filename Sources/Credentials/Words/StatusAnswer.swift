package import Encoding

/// What a stored status list says about one credential.
package struct StatusAnswer: Hashable, Sendable {
    /// The state that the list gives.
    package enum Value: String, Sendable {
        /// Neither revoked nor suspended.
        case valid
        /// Withdrawn for good.
        case revoked
        /// Withdrawn for the time being.
        case suspended
        /// Nobody can say: the list is not stored, or is of a kind that this version does not read.
        case unknown
    }

    /// The state.
    package var value: Value
    /// Why it counts as asked for: `revocation`, `suspension` or what else the entry names.
    package var purpose: Text
    /// The entry in the credential, as a JSON pointer.
    package var pointer: String
    /// How long before the verification the list was issued; nil when the list does not say, or is not stored.
    package var age: Duration?
    /// How long the list's own validity has been over; nil while it is fresh.
    package var overdue: Duration?

    /// An answer of these parts.
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
