import Aries
import DIDComm
import Encoding
import Mailboxes
import Settings

extension MailboxManagerCore {
    /// The use of a mailbox by connections.
    enum Use: Sendable {
        /// No connection was opened in it.
        case unused
        /// A connection was opened in it. None has been connected.
        case tried
        /// A connection through it has been connected.
        case connected
    }

    /// An event for the mailbox manager.
    enum Event: Sendable {
        /// The ids of the stored mailboxes that are not being deleted, oldest first, and the ids of the invitations by
        /// which no connection through a mailbox could be made.
        case loaded(mailboxes: [Text], refused: [Text])
        /// The result of ``Action/takeUp(_:)``: the mailbox runs. `invitation`: the one by which it was reached.
        /// `use`: the use of the mailbox by connections.
        case tookUp(Text, invitation: Invitation?, use: Use)
        /// The result of ``Action/takeUp(_:)``: the mailbox cannot be read, or is not the configured one (`isOther`).
        case unusable(Text, isOther: Bool)
        /// The result of ``Action/takeUp(_:)``: the store could not be read now, or (nil) the mailbox is gone. Nothing
        /// is known of the mailbox, so what is stored is loaded again.
        case notTakenUp(ConnectFailure?)
        /// The mailbox manager begins to run, after it was loaded.
        case start
        /// The result of ``Action/look(_:)``.
        case looked(InvitationFile.Edition)
        /// The result of ``Action/read(_:)``.
        case read(Result<Invitation, ConnectFailure>)
        /// A mailbox was stored and runs: the result of ``Action/connect(_:)`` or ``Action/provision``, or a mailbox
        /// that an agent granted.
        case made(Text, invitation: Invitation?)
        /// The mailbox could not be made or stored; nil: nothing had to be made.
        case notMade(ConnectFailure?)
        /// The result of ``Action/fetchToken``; nil: there is no token.
        case token(Result<ProvisionToken?, TokenSource.Failure>)
        /// A connection wants to be reachable under its key.
        case open(Text)
        /// A connection through the mailbox is connected.
        case connected(Text)
        /// An answer is expected: fetch messages.
        case fetch
        /// The effects of the messages with these uids are durable.
        case applied([Text])
        /// The agent link of the connection has ended.
        case leave(Text)
        /// The connection is no longer used.
        case close(Text)
        /// News of the mailbox `of`.
        case news(MailboxNews, of: Text)
        /// The result of ``Action/quarantine(_:_:)``; nil: the message is stored.
        case quarantined(MailboxMessage, reason: Text, ConnectFailure?)
        /// The mailbox may not be needed any more.
        case drop
        /// The result of ``Action/askNeed(_:)``; nil: the store could not be read.
        case needed(Text, Bool?)
        /// The mailbox is being deleted.
        case remove(Text)
        /// The connection that led to the mailbox delivers again.
        case released(Text)
        /// The result of ``Action/retire(_:)``; nil: the connection is marked.
        case retired(Text, ConnectFailure?)
        /// Start the next attempts at once.
        case retryNow
        /// The time of ``MailboxManagerCore/deadline`` is reached.
        case deadlineReached
    }

    /// The actions of the mailbox manager, which its driver carries out in this order.
    enum Action: Sendable {
        /// Run the stored mailbox.
        case takeUp(Text)
        /// Stop the mailbox: it posts and stores nothing any more.
        case stop(Text)
        /// Mark the connection that led to a mailbox for deletion, after its peer was notified.
        case retire(Text)
        /// Report the edition of the file.
        case look(String)
        /// Read the invitation to the mailbox.
        case read(String)
        /// Make, store and run a mailbox at the agent that made the invitation.
        case connect(Invitation)
        /// Make, store and run the mailbox at the configured agency, unless one is stored.
        case provision
        /// Get a token from the sponsor.
        case fetchToken
        /// Make the mailbox accept messages for the connection.
        case open(Text)
        /// Pass the mailbox an event.
        case pass(MailboxEvent)
        /// The connection is reachable at the address.
        case give(MailboxAddress, to: Text)
        /// The mailbox never takes messages for the connection's key.
        case refuse(Text)
        /// Pass the connection a message.
        case hand(MailboxMessage, to: Text)
        /// Quarantine a message, for the given reason.
        case quarantine(MailboxMessage, Text)
        /// Find out whether a stored connection is reached through the mailbox.
        case askNeed(Text)
        /// Report an event.
        case notice(MailboxNotice)
    }
}
