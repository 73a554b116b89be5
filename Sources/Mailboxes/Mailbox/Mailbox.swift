package import Aries
package import DIDComm
package import Encoding

/// One message that waits in a mailbox.
package struct MailboxMessage: Hashable, Sendable {
    /// The mailbox's id of the message. It is the same at each delivery until the message is released.
    package let uid: Text
    /// The id of the connection for whose key the message is.
    package let connection: Text
    /// The packed message.
    package let envelope: [UInt8]

    /// Creates a message for the connection `connection`.
    package init(uid: Text, connection: Text, envelope: [UInt8]) {
        (self.uid, self.connection, self.envelope) = (uid, connection, envelope)
    }
}

/// Why a mailbox does not work.
package enum MailboxFailure: Hashable, Sendable {
    /// The mailbox grants no address. The operator of the mailbox must grant one.
    case denied
    /// The address that the mailbox grants cannot be used.
    case badAddress
    /// The mailbox's key is not the key that the configuration names.
    case otherKey
    /// The mailbox does not authorise this gate.
    case unauthorised
    /// The mailbox accepted the connection's key before, but the answer was lost. The mailbox does not repeat
    /// the answer: open the connection with another key.
    case keyTaken
    /// The mailbox requires a token. The gate has none, or its token was used before or is too old.
    case needsToken
    /// The mailbox sends an answer that the protocol does not allow.
    case malformed
    /// The mailbox sends all waiting messages of a connection at once, and together they are longer than the
    /// limit. None of these messages can be read or released.
    case tooMuch
    /// The mailbox accepts posts but answers none of them.
    case silent
    /// The mailbox has ended its connection to this gate.
    case ended
    /// The mailbox reports a problem. The text is its own code for the problem (at most 128 bytes).
    case problem(Text)
}

/// A mailbox at an agency or a mediator, where agents leave messages while the gate is not listening.
///
/// The rule of its inbox: the connection authenticates, de-duplicates and applies a message and makes it
/// durable; only then the message is released at the mailbox (``MailboxEvent/applied(_:)``). After a crash in
/// between the message is delivered again, and the connection recognises it. A pure value: no clock, network
/// or storage.
package protocol Mailbox: ~Copyable, Sendable {
    /// Handles one event. The actions are to be carried out in order.
    mutating func handle(_ event: MailboxEvent, at now: Instant) -> [MailboxAction]
    /// When ``MailboxEvent/deadlineReached`` is due; nil if only other events have an effect.
    var deadline: Instant? { get }
    /// The media type of posts.
    var mediaType: Text { get }
}

extension Mailbox where Self: ~Copyable {
    /// The media type of DIDComm v1 envelopes (RFC 0044).
    package var mediaType: Text { "application/didcomm-envelope-enc" }
}

/// An event for a mailbox.
package enum MailboxEvent: Equatable, Sendable {
    /// The mailbox was made or restored and may now post.
    case start
    /// Make a connection reachable under `key`. The answer is ``MailboxAction/address(_:for:)`` or
    /// ``MailboxAction/failed(_:for:)``. The event is repeated at every start and changes nothing if the
    /// mailbox knows the key. The event contains the whole key pair, because an agency gives a connection's
    /// messages only to the owner of the key. If the connection had an earlier key, the new key replaces it;
    /// messages for the earlier key may still arrive for a while.
    case open(connection: Text, key: KeyPair)
    /// The connection is connected. The event is repeated at every start.
    case connected(connection: Text)
    /// The connection is no longer used. The answer is ``MailboxAction/closed(connection:isComplete:)``.
    case close(connection: Text)
    /// Fetch messages at once: a wake-up arrived, or an answer is awaited.
    case fetch
    /// The messages with the given uids are durable, in their connection or in quarantine. The mailbox may
    /// release them.
    case applied([Text])
    /// A post was answered with a 2xx status and the given body.
    case answered(AgentConnection.ExchangeID, body: [UInt8])
    /// A post failed, for the given reason.
    case failed(AgentConnection.ExchangeID, ExchangeFailure)
    /// A post was answered by a status outside 2xx, with at most the first 16 KiB of the body: some mailboxes
    /// distinguish their errors only in the body. This event is used in place of ``failed(_:_:)`` if the body
    /// is known.
    case rejected(AgentConnection.ExchangeID, status: Int, body: [UInt8])
    /// The token that ``MailboxFailure/needsToken`` asked for, as the operator's sponsor wrote it.
    case token(JSON)
    /// Start the next attempt at once, because the network works again or an operator asks for it.
    case retryNow
    /// The time of ``Mailbox/deadline`` is reached.
    case deadlineReached
}

/// The actions of a mailbox, which its driver carries out in this order.
package enum MailboxAction: Hashable, Sendable {
    /// Store this document durably before any later action. If that fails, a later post must fail with
    /// ``ExchangeFailure/notStored``. The document contains keys. Its member `kind` names the kind of the
    /// mailbox. The document of a mailbox with its own connection contains that connection under
    /// `connection`. Any other document has a `label`, and a `stage` that is `ready` once the mailbox works;
    /// both are shown to an operator.
    case persist(JSON)
    /// Post the bytes `body` to `url` and return the result as an event.
    case post(AgentConnection.ExchangeID, url: Text, body: [UInt8])
    /// Send a GET request to `url` and return the result as an event, as if it were a post.
    case get(AgentConnection.ExchangeID, url: Text)
    /// The connection `for` can be reached at the given address from now on.
    case address(MailboxAddress, for: Text)
    /// The connection `for` gets no address, or no longer has one, for the given reason; nil: this concerns
    /// all connections. The mailbox tries again if that can help.
    case failed(MailboxFailure, for: Text?)
    /// The mailbox has forgotten the connection. If `isComplete` is false, the mailbox cannot forget it
    /// completely, and only the waiting messages were released.
    case closed(connection: Text, isComplete: Bool)
    /// Messages for connections, in the mailbox's order. A message that no connection can read is
    /// quarantined. The driver reports ``MailboxEvent/applied(_:)`` once a message is durable in its
    /// connection or in quarantine.
    case messages([MailboxMessage])
    /// Posts to the mailbox began to succeed (nil) or to fail (the reason).
    case reachability(ExchangeFailure?)
}
