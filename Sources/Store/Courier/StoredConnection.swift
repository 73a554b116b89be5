package import Encoding

/// A connection to an agent, as the courier's database stores it.
package struct StoredConnection: Hashable, Sendable {
    /// The id of the connection.
    package let id: Text
    /// The name of the destination whose reports the connection carries.
    package let destination: Text
    /// The state of the connection with its keys, as bytes in the format of the connection's owner; empty if no
    /// available key opens the stored bytes.
    package let snapshot: [UInt8]
    /// The date at which the connection was made, by the machine's clock at that time; nil if unknown.
    package let made: Timestamp?
    /// Whether the connection is marked for deletion (``CourierStore/beginDeletion(of:withReplaced:tellsPeer:)``).
    package let isDeleting: Bool
    /// Whether the service notifies the connection's peer before it removes the connection.
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
