package import Encoding

/// A stored connection.
package struct StoredConnection: Hashable, Sendable {
    /// The id of the connection.
    package let id: Text
    /// The destination to which the connection leads.
    package let destination: Text
    /// The state of the connection with its keys, as bytes that only the owner of the connection can interpret; empty
    /// if no key opens the state.
    package let snapshot: [UInt8]
    /// The date at which the connection was made, by the machine's clock at that time; nil if unknown.
    package let made: Timestamp?
    /// Whether the connection is marked for deletion (``CourierStore/beginDeletion(of:withReplaced:tellsPeer:)``).
    package let isDeleting: Bool
    /// Whether the service notifies the connection's peer before the deletion.
    package let tellsPeer: Bool

    /// Creates a stored connection from the values of its properties.
    package init(
        id: Text, destination: Text, snapshot: [UInt8], made: Timestamp? = nil, isDeleting: Bool = false,
        tellsPeer: Bool = false
    ) {
        (self.id, self.destination, self.snapshot) = (id, destination, snapshot)
        (self.made, self.isDeleting, self.tellsPeer) = (made, isDeleting, tellsPeer)
    }
}
