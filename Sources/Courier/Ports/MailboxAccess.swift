package import Aries
package import DIDComm
package import Encoding
package import Mailboxes

/// A connection's access to the mailbox of the gate, independent of the mailbox's kind.
package protocol MailboxAccess: Sendable {
    /// Makes the mailbox accept messages for `key` and pass them to `receiver`. A link calls this function at every
    /// start. If the mailbox already accepts messages for the key, nothing else changes.
    func open(_ receiver: any MailReceiver, key: KeyPair) async
    /// Reports that the handshake of the connection is complete. A link calls this function at every start, too.
    func connected(_ connection: Text) async
    /// Fetches messages now, because the connection expects an answer.
    func fetch() async
    /// Reports that the messages with these ids are in quarantine, or that their effects are durable. The mailbox
    /// releases them.
    func applied(_ uids: [Text]) async
    /// Reports that the link of the connection has ended. The mailbox releases the messages that it had passed to the
    /// link and that the link did not apply.
    func leave(_ connection: Text) async
}

/// A receiver of messages from a mailbox.
package protocol MailReceiver: Sendable {
    /// The connection's id.
    var id: Text { get }
    /// Reports that the mailbox accepts messages for `key` at `address`.
    func take(_ address: MailboxAddress, for key: Verkey) async
    /// Reports that the mailbox will never accept messages for `key`.
    func refuse(_ key: Verkey) async
    /// Receives a message. The receiver later calls ``MailboxAccess/applied(_:)``.
    func take(_ message: MailboxMessage) async
}
