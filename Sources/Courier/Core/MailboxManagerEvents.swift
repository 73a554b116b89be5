import Aries
import DIDComm
import Encoding
import Mailboxes
import Settings

extension MailboxManagerCore {
    /// The use that connections have made of a mailbox.
    enum Use: Sendable {
        /// No connection has asked it to accept messages.
        case unused
        /// A connection has asked it to accept messages, but no connection through it has completed its handshake.
        case tried
        /// A connection through it has completed its handshake.
        case connected
    }

    /// An event for the mailbox manager.
    enum Event: Sendable {
        /// The content of the store: the ids of the mailboxes that are not marked for deletion, oldest first, and the
        /// ids of the invitations by which no connection through a mailbox could be made.
        case loaded(mailboxes: [Text], refused: [Text])
        /// The result of ``Action/takeUp(_:)``: the mailbox runs. `invitation`: the invitation by which it was
        /// reached; nil if there was none. `use`: the use that connections have made of it.
        case tookUp(Text, invitation: Invitation?, use: Use)
        /// The result of ``Action/takeUp(_:)``: the mailbox cannot be read (`isOther` is false), or it is not the
        /// configured mailbox (`isOther` is true).
        case unusable(Text, isOther: Bool)
        /// The stored mailbox was not read, or not taken up (``Action/takeUp(_:)``): the store failed with the given
        /// failure, or (nil) the mailbox is no longer stored. The driver loads the content of the store again.
        case notTakenUp(ConnectFailure?)
        /// The mailbox manager begins to run. The content of the store was loaded before.
        case start
        /// The result of ``Action/look(_:)``: the present edition of the invitation file.
        case looked(InvitationFile.Edition)
        /// The result of ``Action/read(_:)``: the invitation to the mailbox, or the reason why it cannot be read.
        case read(Result<Invitation, ConnectFailure>)
        /// A mailbox is stored and runs: the result of ``Action/connect(_:)`` or ``Action/provision``, or a mailbox
        /// that an agent granted.
        case made(Text, invitation: Invitation?)
        /// No mailbox was made, because of the given failure; nil: one is stored already.
        case notMade(ConnectFailure?)
        /// The result of ``Action/fetchToken``: the token, nil if the configuration names no source of one, or the
        /// reason of the failure.
        case token(Result<ProvisionToken?, TokenSource.Failure>)
        /// A connection asks the mailbox to accept messages for its key.
        case open(Text)
        /// The handshake of a connection through the mailbox is complete.
        case connected(Text)
        /// A connection expects an answer: fetch messages now.
        case fetch
        /// The effects of the messages with these ids are durable.
        case applied([Text])
        /// The agent link of the connection has ended.
        case leave(Text)
        /// The connection is no longer used.
        case close(Text)
        /// An event of the mailbox with the id `of`.
        case news(MailboxNews, of: Text)
        /// The result of ``Action/quarantine(_:_:)``; nil: the message is in quarantine.
        case quarantined(MailboxMessage, reason: Text, ConnectFailure?)
        /// Check whether a connection still needs the mailbox.
        case drop
        /// The result of ``Action/askNeed(_:)``: whether a stored connection needs the mailbox; nil: the store could
        /// not be read.
        case needed(Text, Bool?)
        /// An operator deletes the mailbox with this id.
        case remove(Text)
        /// The mailbox's own connection carries reports again, so it is no longer the connection to a mailbox.
        case released(Text)
        /// The result of ``Action/retire(_:)``; nil: the connection is marked for deletion.
        case retired(Text, ConnectFailure?)
        /// Make the next attempts now.
        case retryNow
        /// The time of ``MailboxManagerCore/deadline`` is reached.
        case deadlineReached
    }

    /// The actions of the mailbox manager, which its driver carries out in this order.
    enum Action: Sendable {
        /// Run the stored mailbox with this id.
        case takeUp(Text)
        /// Stop the mailbox with this id: it posts and stores nothing more.
        case stop(Text)
        /// Mark the connection to a mailbox for deletion. The service notifies its peer and then removes it.
        case retire(Text)
        /// Report the edition of the file with this path.
        case look(String)
        /// Read the invitation to the mailbox from this file or URL.
        case read(String)
        /// Make, store and run a mailbox at the agent that made the invitation.
        case connect(Invitation)
        /// Make, store and run a mailbox at the configured agency, unless one is stored.
        case provision
        /// Get a token from the sponsor's server.
        case fetchToken
        /// Make the mailbox accept messages for the connection with this id.
        case open(Text)
        /// Pass an event to the mailbox.
        case pass(MailboxEvent)
        /// Report to the connection that it receives messages at the address.
        case give(MailboxAddress, to: Text)
        /// Report to the connection that the mailbox never accepts messages for its key.
        case refuse(Text)
        /// Pass a message to the connection.
        case hand(MailboxMessage, to: Text)
        /// Quarantine a message, for the given reason.
        case quarantine(MailboxMessage, Text)
        /// Read from the store whether a connection still receives messages through the mailbox.
        case askNeed(Text)
        /// Report an event.
        case notice(MailboxNotice)
    }
}
