package import Aries
package import DIDComm
package import Encoding

/// One message that waits in a mailbox.
package struct MailboxMessage: Hashable, Sendable {
    /// The mailbox's id of the message. It stays the same until the message is released, even if the message is
    /// delivered several times.
    package let uid: Text
    /// The id of the connection for which the message is encrypted. Empty if no connection has the key.
    package let connection: Text
    /// The encrypted message.
    package let envelope: [UInt8]

    /// Creates a message for the connection `connection`.
    package init(uid: Text, connection: Text, envelope: [UInt8]) {
        (self.uid, self.connection, self.envelope) = (uid, connection, envelope)
    }
}

/// Why the gate receives no messages through a mailbox, or none for one connection.
package enum MailboxFailure: Hashable, Sendable {
    /// The mailbox grants no address to the gate. Only the operator of the mailbox can change that.
    case denied
    /// The mailbox granted an address that the gate cannot use.
    case badAddress
    /// The mailbox's key differs from the key in the configuration.
    case otherKey
    /// The mailbox does not authorise this gate.
    case unauthorised
    /// The mailbox has accepted the connection's key before, but its answer was lost and it does not repeat the answer.
    /// The connection must be opened with another key.
    case keyTaken
    /// The mailbox requires a token, but the gate has none, or the gate's token was used before or is too old.
    case needsToken
    /// The mailbox's answer violates the protocol.
    case malformed
    /// The answer of the mailbox, which contains all waiting messages of a connection, is larger than the limit. So
    /// none of these messages can be read or released.
    case tooMuch
    /// The mailbox accepts posts but answers none of them.
    case silent
    /// The mailbox has ended its connection to this gate.
    case ended
    /// The mailbox reports a problem, with the given code of its own (at most 128 bytes).
    case problem(Text)
}

/// A mailbox at an agency or a mediator. Other agents send messages to it, and the gate reads them from it.
///
/// A message is released at the mailbox (``MailboxEvent/applied(_:)``) only after the connection has checked its
/// sender, has applied it, and has stored the result durably. After a crash before the release, the message is
/// delivered again, and the connection recognises the repetition. A mailbox is a value without clock, network or
/// storage.
package protocol Mailbox: ~Copyable, Sendable {
    /// Handles one event and returns actions, which the driver must carry out in order.
    mutating func handle(_ event: MailboxEvent, at now: Instant) -> [MailboxAction]
    /// When the driver must send ``MailboxEvent/deadlineReached``; nil if only other events have an effect.
    var deadline: Instant? { get }
    /// The content type of the mailbox's posts.
    var mediaType: Text { get }
}

extension Mailbox where Self: ~Copyable {
    /// The media type of DIDComm v1 envelopes (RFC 0044).
    package var mediaType: Text { "application/didcomm-envelope-enc" }
}

/// An event for a mailbox.
package enum MailboxEvent: Equatable, Sendable {
    /// The mailbox was created or restored and may now post.
    case start
    /// Make the connection reachable under `key`, a whole key pair, because an agency returns messages only to the
    /// owner of the key. The result is ``MailboxAction/address(_:for:)`` or ``MailboxAction/failed(_:for:)``. The
    /// driver repeats this event at every start; it changes nothing if the mailbox knows the key. A new key replaces an
    /// earlier key of the connection; messages for the earlier key still arrive for a while.
    case open(connection: Text, key: KeyPair)
    /// The handshake of the connection is complete. The driver repeats this event at every start.
    case connected(connection: Text)
    /// The connection is no longer used. The result is ``MailboxAction/closed(connection:isComplete:)``.
    case close(connection: Text)
    /// Read messages at once, because the mailbox has woken the gate or a connection awaits an answer.
    case fetch
    /// The messages with the given ids are stored durably, in their connection or in the quarantine. The mailbox may
    /// release them.
    case applied([Text])
    /// The server answered a post with a 2xx status and the given body.
    case answered(AgentConnection.ExchangeID, body: [UInt8])
    /// A post failed, for the given reason.
    case failed(AgentConnection.ExchangeID, ExchangeFailure)
    /// The server answered a post with a status outside 2xx. `body`: at most the first 16 KiB of the answer's body,
    /// because some mailboxes distinguish their errors only there. The driver sends this event in place of
    /// ``failed(_:_:)`` if it knows the body.
    case rejected(AgentConnection.ExchangeID, status: Int, body: [UInt8])
    /// The operator has entered a token, which ``MailboxFailure/needsToken`` had asked for: the JSON that the
    /// operator's sponsor made.
    case token(JSON)
    /// Make the next attempt without waiting, because the network works again or an operator asks for it.
    case retryNow
    /// The time of ``Mailbox/deadline`` is reached.
    case deadlineReached
}

/// The actions of a mailbox. The driver carries them out in the order in which they are returned.
package enum MailboxAction: Hashable, Sendable {
    /// Store this document durably before carrying out any later action. If storing fails, report later posts as failed
    /// with ``ExchangeFailure/notStored``. The document contains secret keys. Its member `kind` is the kind of mailbox.
    /// If the mailbox has its own connection, the member `connection` is the state of that connection. Otherwise the
    /// document has two members that are shown to an operator: `label`, and `stage`, which is `ready` once the mailbox
    /// works.
    case persist(JSON)
    /// Post the bytes `body` to `url`, and report the result as an event.
    case post(AgentConnection.ExchangeID, url: Text, body: [UInt8])
    /// Send a GET request to `url`, and report the result with the events for posts.
    case get(AgentConnection.ExchangeID, url: Text)
    /// The connection with the id `for` can be reached at the given address from now on.
    case address(MailboxAddress, for: Text)
    /// The connection with the id `for` has no address, for the given reason; nil: all connections have none. The
    /// mailbox tries again if that can help.
    case failed(MailboxFailure, for: Text?)
    /// The mailbox no longer has the connection. `isComplete`: whether it has deleted everything about the connection;
    /// if not, it has only released the waiting messages.
    case closed(connection: Text, isComplete: Bool)
    /// Pass these messages to their connections, in this order. Store a message that no connection can read in the
    /// quarantine. Report ``MailboxEvent/applied(_:)`` once a message is stored durably in its connection or in the
    /// quarantine.
    case messages([MailboxMessage])
    /// Posts to the mailbox succeed again (nil), or began to fail for the given reason.
    case reachability(ExchangeFailure?)
}
