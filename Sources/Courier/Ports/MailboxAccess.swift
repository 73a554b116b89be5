package import Aries
package import DIDComm
package import Encoding
package import Mailboxes

/// A connection's access to its mailbox, whichever mailbox is used at present.
package protocol MailboxAccess: Sendable {
    /// Makes `receiver` reachable under `key`: `receiver` gets the messages for that key. The function is
    /// called at every start and changes nothing if the mailbox already knows the key.
    func open(_ receiver: any MailReceiver, key: KeyPair) async
    /// Reports that the connection is connected. The function is called at every start, too.
    func connected(_ connection: Text) async
    /// Fetches messages: an answer is expected.
    func fetch() async
    /// Reports that the effects of the messages with these uids are durable, or that they are in quarantine.
    func applied(_ uids: [Text]) async
    /// Reports that the link of the connection has ended. Messages that it was handed and did not apply are released.
    func leave(_ connection: Text) async
}

/// A receiver of messages from a mailbox.
package protocol MailReceiver: Sendable {
    /// The connection's id.
    var id: Text { get }
    /// The mailbox accepts messages for `key` at `address`.
    func take(_ address: MailboxAddress, for key: Verkey) async
    /// The mailbox will never take messages for `key`.
    func refuse(_ key: Verkey) async
    /// Takes a message. ``MailboxAccess/applied(_:)`` follows.
    func take(_ message: MailboxMessage) async
}
