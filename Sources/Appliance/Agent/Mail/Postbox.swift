package import Aries
package import DIDComm
package import Encoding

/// The way from a connection to its mailbox, whichever that is at present.
package protocol Postbox: Sendable {
    /// `receiver` is to be reached under `key`, and gets what comes; also at every start, which changes nothing where it is known.
    func open(_ receiver: any MailReceiver, key: KeyPair) async
    /// Look for messages: an answer is awaited.
    func fetch() async
    /// These messages are durable, or in quarantine.
    func applied(_ uids: [Text]) async
    /// The connection does not run for now; what it was handed and did not apply is let go.
    func leave(_ connection: Text) async
    /// The connection is not used any more: the mailbox is to forget its keys.
    func close(_ connection: Text) async
}

/// Whoever gets messages out of a mailbox.
package protocol MailReceiver: Sendable {
    /// The connection's id.
    var id: Text { get }
    /// The mailbox takes messages for `key` there.
    func take(_ address: MailboxAddress, for key: Verkey) async
    /// The mailbox will never take messages for `key`.
    func refuse(_ key: Verkey) async
    /// A message; ``Postbox/applied(_:)`` follows.
    func take(_ message: MailboxMessage) async
}
