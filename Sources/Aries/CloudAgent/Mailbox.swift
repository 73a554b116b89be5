package import DIDComm
package import Encoding

/// The address at which a cloud agent accepts messages for one of the gate's keys, as a DID document states
/// it.
package struct MailboxAddress: Hashable, Sendable {
    /// The URL that messages are posted to.
    package let endpoint: Text
    /// The keys that a message is wrapped for, the one nearest to the gate first (RFC 0094); at most
    /// ``MailboxAddress/maxRoutingKeys``.
    package let routingKeys: [Verkey]

    /// The limit of routing keys. No mailbox needs more.
    package static let maxRoutingKeys = 8
    /// No mailbox: only answers to the gate's own posts arrive (RFC 0092).
    package static let queue = MailboxAddress(endpoint: "didcomm:transport/queue", routingKeys: [])

    /// Creates an address of these parts.
    package init(endpoint: Text, routingKeys: [Verkey]) {
        (self.endpoint, self.routingKeys) = (endpoint, routingKeys)
    }
}

/// One message that waits in a mailbox.
package struct MailboxMessage: Hashable, Sendable {
    /// The mailbox's name for it, the same at each delivery until it is released.
    package let uid: Text
    /// The id of the connection whose key it is for.
    package let connection: Text
    /// The packed message.
    package let envelope: [UInt8]

    /// Creates a message of these parts.
    package init(uid: Text, connection: Text, envelope: [UInt8]) {
        (self.uid, self.connection, self.envelope) = (uid, connection, envelope)
    }
}

/// Why a mailbox does not serve.
package enum MailboxFailure: Hashable, Sendable {
    /// It grants no address. Its operator must grant one.
    case denied
    /// The address that it grants cannot be used.
    case badAddress
    /// Its key is not the one that the configuration names.
    case otherKey
    /// It does not authorise this gate.
    case unauthorised
    /// It accepted the connection's key before, and the answer was lost. It does not repeat the answer: open
    /// the connection with another key.
    case keyTaken
    /// It requires a token: there is none, or this one was used or is too old.
    case needsToken
    /// It answers with something that the protocol does not allow.
    case malformed
    /// It sends all waiting messages of a connection at once, and they are longer than the limit: none of
    /// them can be read or released.
    case tooMuch
    /// It accepts messages and answers none.
    case silent
    /// It has ended its connection to this gate.
    case ended
    /// It reports a problem, by its own code (at most 128 bytes).
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
package enum MailboxEvent: Sendable {
    /// The mailbox was made or restored and may now post.
    case start
    /// Make a connection reachable under `key`. The answer is ``MailboxAction/address(_:for:)`` or
    /// ``MailboxAction/failed(_:for:)``. The event is repeated at every start; nothing changes if the key is
    /// known. It contains the whole key pair, because an agency gives a connection's messages only to its
    /// owner. Another key replaces an earlier one, for which messages may still arrive for a while.
    case open(connection: Text, key: KeyPair)
    /// The connection is no longer used. The answer is ``MailboxAction/closed(connection:isComplete:)``.
    case close(connection: Text)
    /// Fetch messages at once: a wake-up arrived, or an answer is awaited.
    case fetch
    /// The messages of these uids are durable, in their connection or in quarantine: release them.
    case applied([Text])
    /// A post was answered by 2xx.
    case answered(AgentConnection.ExchangeID, body: [UInt8])
    /// A post failed.
    case failed(AgentConnection.ExchangeID, ExchangeFailure)
    /// A post was answered by a status outside 2xx, with at most the first 16 KiB of the body: some mailboxes
    /// distinguish their errors only there. Used in place of ``failed(_:_:)`` if the body is known.
    case rejected(AgentConnection.ExchangeID, status: Int, body: [UInt8])
    /// The token that ``MailboxFailure/needsToken`` asked for, as the operator's sponsor wrote it.
    case token(JSON)
    /// Start the next attempt at once: the network is up again, or an operator asks.
    case retryNow
    /// The time of ``Mailbox/deadline`` is reached.
    case deadlineReached
}

/// The actions of a mailbox, which its driver carries out in this order.
package enum MailboxAction: Sendable {
    /// Store this document durably before any later action. If that fails, a later post must fail with
    /// ``ExchangeFailure/notStored``. The document contains keys. Its `kind` names the kind of the mailbox. A
    /// mailbox with a connection of its own has it under `connection`. Any other has a `label`, and a `stage`
    /// that is `ready` once it serves; both are shown to an operator.
    case persist(JSON)
    /// Post these bytes to that URL and return the result as an event.
    case post(AgentConnection.ExchangeID, url: Text, body: [UInt8])
    /// Get that URL and return the result as an event, as if it were a post.
    case get(AgentConnection.ExchangeID, url: Text)
    /// The connection can be reached at that address from now on.
    case address(MailboxAddress, for: Text)
    /// The connection gets no address, or no longer has one, for that reason. The mailbox tries again if that
    /// can help.
    case failed(MailboxFailure, for: Text?)
    /// The mailbox has forgotten the connection. If `isComplete` is false, it cannot forget it, and only the
    /// waiting messages were released.
    case closed(connection: Text, isComplete: Bool)
    /// Messages for connections, in the mailbox's order. A message that no connection can read is
    /// quarantined. In both cases ``MailboxEvent/applied(_:)`` follows once that is durable.
    case messages([MailboxMessage])
    /// Posts began to succeed (nil) or to fail.
    case reachability(ExchangeFailure?)
}
