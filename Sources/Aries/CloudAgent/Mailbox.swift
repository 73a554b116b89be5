package import DIDComm
package import Encoding

/// Where a cloud agent takes messages for one of our keys: what a DID document says of it.
package struct MailboxAddress: Hashable, Sendable {
    /// The URL that messages are posted to.
    package let endpoint: Text
    /// The keys that a message is wrapped for, the one nearest to us first (RFC 0094); at most
    /// ``MailboxAddress/maxRoutingKeys``.
    package let routingKeys: [Verkey]

    /// More routing keys than that no mailbox needs.
    package static let maxRoutingKeys = 8
    /// No mailbox: only what answers a post of ours ever arrives (RFC 0092).
    package static let queue = MailboxAddress(endpoint: "didcomm:transport/queue", routingKeys: [])

    /// An address of these parts.
    package init(endpoint: Text, routingKeys: [Verkey]) {
        (self.endpoint, self.routingKeys) = (endpoint, routingKeys)
    }
}

/// One message that waits in a mailbox.
package struct MailboxMessage: Hashable, Sendable {
    /// What the mailbox calls it; the same at each delivery until it is released.
    package let uid: Text
    /// The connection whose key it is for.
    package let connection: Text
    /// The packed message.
    package let envelope: [UInt8]

    /// A message of these parts.
    package init(uid: Text, connection: Text, envelope: [UInt8]) {
        (self.uid, self.connection, self.envelope) = (uid, connection, envelope)
    }
}

/// Why a mailbox does not serve.
package enum MailboxFailure: Hashable, Sendable {
    /// It grants no address: an operator has to.
    case denied
    /// The address that it grants cannot be used.
    case badAddress
    /// Its key is not the one that the configuration names.
    case otherKey
    /// It does not let this kiosk in.
    case unauthorised
    /// It took the connection's key before and the answer was lost, which it does not repeat: open the connection with another key.
    case keyTaken
    /// A token is needed: none is there, or this one was used or is too old.
    case needsToken
    /// It answers with something that the protocol does not allow.
    case malformed
    /// What waits for a connection comes at once and is more than is read here: nothing of it can be read or released.
    case tooMuch
    /// It takes messages and answers none.
    case silent
    /// It has ended its connection to this kiosk.
    case ended
    /// It reports a problem, by its own code (at most 128 bytes).
    case problem(Text)
}

/// A mailbox at an agency or a mediator: where agents leave messages while the kiosk is not listening.
///
/// The rule of its inbox: a message is authenticated, de-duplicated, applied and made durable by its connection first, and only
/// then released at the mailbox (``MailboxEvent/applied(_:)``). A crash in between brings it once more, which the connection
/// recognises. A pure value: no clock, network or storage.
package protocol Mailbox: ~Copyable, Sendable {
    /// Takes one event; the actions are to be done in order.
    mutating func handle(_ event: MailboxEvent, at now: Instant) -> [MailboxAction]
    /// When ``MailboxEvent/deadlineReached`` is due; nil while only other events can bring anything.
    var deadline: Instant? { get }
    /// The media type of what is posted.
    var mediaType: Text { get }
}

extension Mailbox where Self: ~Copyable {
    /// That of DIDComm v1 envelopes (RFC 0044).
    package var mediaType: Text { "application/didcomm-envelope-enc" }
}

/// What happens to a mailbox.
package enum MailboxEvent: Sendable {
    /// It was made or restored and may now post.
    case start
    /// A connection is to be reached under `key`. Answered by ``MailboxAction/address(_:for:)`` or
    /// ``MailboxAction/failed(_:for:)``; asked again at every start, which changes nothing where it is known.
    /// The whole key, because an agency gives a connection's messages only to who holds it. Another key takes the place of an
    /// earlier one, for which messages may still come for a while.
    case open(connection: Text, key: KeyPair)
    /// The connection is not used any more; answered by ``MailboxAction/closed(connection:isComplete:)``.
    case close(connection: Text)
    /// Look for messages at once: something woke us, or an answer is awaited.
    case fetch
    /// The messages of these uids are durable, in their connection or in quarantine: release them.
    case applied([Text])
    /// A post was answered by 2xx.
    case answered(AgentConnection.ExchangeID, body: [UInt8])
    /// A post failed.
    case failed(AgentConnection.ExchangeID, ExchangeFailure)
    /// A post was answered by a status outside 2xx, with at most the first 16 KiB of what was said about it: some mailboxes
    /// tell their errors apart only there. In place of ``failed(_:_:)``, where the body is known.
    case rejected(AgentConnection.ExchangeID, status: Int, body: [UInt8])
    /// The token that ``MailboxFailure/needsToken`` asked for, as the operator's sponsor wrote it.
    case token(JSON)
    /// The network came back, or an operator asks: do not wait for the next attempt.
    case retryNow
    /// The time of ``Mailbox/deadline`` is there.
    case deadlineReached
}

/// What the driver of a mailbox has to do, in this order.
package enum MailboxAction: Sendable {
    /// Store this document durably before any later action; if that fails, a later post must fail with
    /// ``ExchangeFailure/notStored``. It contains keys. Its `kind` says which mailbox it is of. One with a connection of its own has
    /// that under `connection`; any other a `label`, and a `stage` that is `ready` once it serves: what an operator is shown.
    case persist(JSON)
    /// Post these bytes to that URL and return the result as an event.
    case post(AgentConnection.ExchangeID, url: Text, body: [UInt8])
    /// Get that URL and return the result as an event, as if it were a post.
    case get(AgentConnection.ExchangeID, url: Text)
    /// The connection may be reached there from now on.
    case address(MailboxAddress, for: Text)
    /// The connection gets no address, or no longer has one, for that reason. A mailbox tries on by itself where that can help.
    case failed(MailboxFailure, for: Text?)
    /// The connection is gone at the mailbox; incomplete: the mailbox cannot forget it, and only what waits was released.
    case closed(connection: Text, isComplete: Bool)
    /// Messages for connections, in the mailbox's order. What no connection can read goes to quarantine. Either way
    /// ``MailboxEvent/applied(_:)`` follows once that is durable.
    case messages([MailboxMessage])
    /// Posts began to succeed (nil) or to fail.
    case reachability(ExchangeFailure?)
}
