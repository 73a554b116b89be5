import Aries
import Encoding

extension DestinationCore {
    /// A connection that leads to the destination, or is being made.
    struct Route: Sendable {
        /// The id of the connection.
        let id: Text
        /// The invitation by which the connection was made.
        let invitation: Invitation
        /// How messages that do not answer a post reach the gate.
        let reception: AgentConnection.Reception
        /// Why the connection never carries a message again; nil if it may.
        var end: RouteEnd?
        /// Whether the handshake is complete and neither side has ended the connection.
        var isConnected = false
        /// Whether the address at which the connection receives messages is known.
        var hasAddress = false

        /// Whether the connection only answers the requests of its invitation.
        var isOneTime: Bool { invitation.handshakes.isEmpty }
    }

    /// Why a stored connection never carries a message again.
    enum RouteEnd: Sendable {
        /// The peer has ended it, or another connection has replaced it.
        case ended
        /// No connection request was answered.
        case failed
    }

    /// The present state of a connection, from its link.
    struct RouteState: Sendable {
        let id: Text
        let isConnected: Bool
        let hasAddress: Bool
    }

    /// The stored data about the destination.
    struct Loaded: Sendable {
        var routes: [Route] = []
        /// The ids of connections that cannot be read.
        var unreadable: [Text] = []
        /// The ids of the invitations that were accepted, oldest first.
        var accepted: [Text] = []
        /// The invitation by which the present mailbox was reached; nil if none was.
        var mailbox: Invitation?
        /// Whether that mailbox waits for its first connection, or for its own connection to deliver again.
        var isMailboxHeld = false
    }

    /// The result of beginning a trial.
    enum TrialStart: Sendable {
        /// The connection is stored.
        case begun
        /// The mailbox permits no connection by this invitation.
        case denied
        /// The connection could not be stored; the text is the reason.
        case failed(String)
    }

    /// The result of giving up a trial.
    enum TrialEnd: Sendable {
        /// The connection is deleted.
        case deleted
        /// The connection was connected, so it stays.
        case kept
        /// A step could not be stored; the text is the reason.
        case failed(String)
    }

    /// An event for a destination.
    enum Event: Sendable {
        /// The destination begins to run.
        case start
        /// The result of ``Action/load``.
        case loaded(Loaded)
        /// Nothing could be read; the text is the reason, unless it was reported already.
        case notLoaded(String?)
        /// The present states of the connections. It precedes each event that depends on it.
        case states([RouteState])
        /// The result of ``Action/look``: the present editions of the invitation files, in their order.
        case looked([InvitationFile.Edition])
        /// The result of ``Action/read(file:)``.
        case read(file: Int, Result<Invitation, ConnectFailure>)
        /// An operator gives an invitation. ``Action/reply(_:_:)`` returns the result for this `request`.
        case connect(Invitation, request: Int)
        /// The result of ``Action/make(_:accepted:)`` for the connection with this id; nil: it is stored.
        case made(Text, ConnectFailure?)
        /// The answer to ``Action/ask(_:_:)`` about the invitation with this id; nil: the connection ended before.
        case reused(Text, Bool?)
        /// Whether the connection takes the requests of the invitation with this id: the result of
        /// ``Action/answer(_:_:)``.
        case answered(Text, Bool)
        /// The result of ``Action/note(_:for:)`` for the invitation with this id; nil: it is stored.
        case noted(Text, ConnectFailure?)
        /// The link of a connection has ended. `isGranted`: because its peer granted a mailbox over it.
        case ended(Text, isGranted: Bool)
        /// The result of ``Action/adopt(_:)``; nil: the mailbox is in use.
        case adopted(Text, String?)
        /// The result of ``Action/beginTrial(_:)``.
        case trialBegun(Text, TrialStart)
        /// The result of ``Action/giveUp(_:_:)``.
        case gaveUp(Text, TrialEnd)
        /// The result of ``Action/discard(_:)``; nil: the connection is gone.
        case discarded(Text, String?)
        /// The result of ``Action/goBack``: the stored connections that did not run.
        case wentBack(Result<[Route], ConnectFailure>)
        /// A connection is being deleted.
        case remove(Text)
        /// The time of ``DestinationCore/deadline`` is reached.
        case deadlineReached
    }

    /// The actions of a destination, which its driver carries out in this order. The result of an action that takes
    /// time is returned as an event.
    enum Action: Sendable {
        /// Read the stored data about the destination, and make its links.
        case load
        /// Report the editions of the invitation files.
        case look
        /// Read the invitation file with this number.
        case read(file: Int)
        /// Make the connection and store it, then store the ids of the `accepted` invitations.
        case make(Route, accepted: [Text])
        /// Run the link of the connection.
        case start(Text)
        /// End the link of the connection: it sends and stores nothing any more.
        case stop(Text)
        /// Ask over the connection whether its inviter accepts it for the invitation.
        case ask(Text, Invitation)
        /// Answer the requests of the invitation over the connection.
        case answer(Text, Invitation)
        /// Store the ids of the accepted invitations, because the invitation `for` was carried out.
        case note([Text], for: Text)
        /// Stop the connection and delete it.
        case discard(Text)
        /// The connection has ended: its mailbox is to forget its keys.
        case close(Text)
        /// Make the connection lead to the mailbox that its peer granted.
        case adopt(Text)
        /// The connection whose mailbox was adopted is deleted: the mailbox is not to be used.
        case disown(Text)
        /// Make and store a second connection, through the mailbox, if the mailbox permits its invitation.
        case beginTrial(Route)
        /// Unless the connection is connected now: stop it, note that no connection through the mailbox can be made by
        /// the invitation, and delete the connection.
        case giveUp(Text, Invitation)
        /// Make the connection that leads to the mailbox deliver again, and make its link.
        case goBack
        /// Wake all links: a new connection may take the destination over.
        case wake
        /// Return the result of an operator's invitation.
        case reply(Int, Result<Connecting, ConnectFailure>)
        /// Report an event.
        case notice(DestinationNotice)
    }
}
