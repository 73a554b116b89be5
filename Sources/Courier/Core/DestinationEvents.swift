import Aries
import Encoding

extension DestinationCore {
    /// A connection as its destination knows it, from the moment when it is being made.
    struct Route: Sendable {
        /// The id of the connection.
        let id: Text
        /// The invitation by which the connection was made.
        let invitation: Invitation
        /// How messages from the peer that do not answer a post reach the gate.
        let reception: AgentConnection.Reception
        /// The reason why the connection never carries a message again; nil if it may still carry messages.
        var end: RouteEnd?
        /// Whether the handshake is complete and the connection has not ended.
        var isConnected = false
        /// Whether the mailbox's address for the connection is known.
        var hasAddress = false

        /// Whether the connection only answers the requests of its invitation.
        var isOneTime: Bool { invitation.handshakes.isEmpty }
    }

    /// The reason why a connection never carries a message again.
    enum RouteEnd: Sendable {
        /// The peer has ended the connection, or another connection has replaced it.
        case ended
        /// No connection request was answered.
        case failed
    }

    /// The present state of a connection, as its link reports it.
    struct RouteState: Sendable {
        let id: Text
        let isConnected: Bool
        let hasAddress: Bool
    }

    /// The stored data of the destination.
    struct Loaded: Sendable {
        var routes: [Route] = []
        /// The ids of connections that cannot be read, for example because their sealing key is missing.
        var unreadable: [Text] = []
        /// The ids of the invitations that were accepted, oldest first.
        var accepted: [Text] = []
        /// The invitation by which the present mailbox was reached; nil if there was none.
        var mailbox: Invitation?
        /// Whether the mailbox at the own agent must stay although no connection uses it
        /// (``MailboxManagerCore/isHeld``).
        var isMailboxHeld = false
    }

    /// The result of ``Action/beginTrial(_:)``.
    enum TrialStart: Sendable {
        /// The connection is stored.
        case begun
        /// The mailbox permits no connection by this invitation.
        case denied
        /// The connection could not be stored; the text is the reason.
        case failed(String)
    }

    /// The result of ``Action/giveUp(_:_:)``.
    enum TrialEnd: Sendable {
        /// The connection is deleted.
        case deleted
        /// The connection completed its handshake in the meantime, so it stays.
        case kept
        /// A step could not be stored; the text is the reason.
        case failed(String)
    }

    /// An event for a destination.
    enum Event: Sendable {
        /// The destination begins to run.
        case start
        /// The result of ``Action/load``: the stored data of the destination.
        case loaded(Loaded)
        /// The result of ``Action/load``: nothing could be read. The text is the reason; nil if it was reported
        /// before.
        case notLoaded(String?)
        /// The present states of the connections. The driver passes them before each event whose handling depends on
        /// them.
        case states([RouteState])
        /// The result of ``Action/look``: the present editions of the invitation files, in their order.
        case looked([InvitationFile.Edition])
        /// The result of ``Action/read(file:)``: the invitation in the file, or the reason why it cannot be read.
        case read(file: Int, Result<Invitation, ConnectFailure>)
        /// An operator gives an invitation. ``Action/reply(_:_:)`` returns the result with the same `request` number.
        case connect(Invitation, request: Int)
        /// The result of ``Action/make(_:accepted:)`` for the connection with this id; nil: it is stored.
        case made(Text, ConnectFailure?)
        /// The result of ``Action/ask(_:_:)`` about the invitation with this id: whether the inviter accepts the
        /// connection; nil: the connection ended before the answer.
        case reused(Text, Bool?)
        /// The result of ``Action/answer(_:_:)``: whether the answers to the requests of the invitation with this id
        /// are queued.
        case answered(Text, Bool)
        /// The result of ``Action/note(_:for:)`` for the invitation with this id; nil: it is stored.
        case noted(Text, ConnectFailure?)
        /// The link of a connection has ended. `isGranted`: whether it ended because its peer granted a mailbox over
        /// it.
        case ended(Text, isGranted: Bool)
        /// The result of ``Action/adopt(_:)``: the mailbox is in use (nil), or the text is the reason why not.
        case adopted(Text, String?)
        /// The result of ``Action/beginTrial(_:)`` for the connection with this id.
        case trialBegun(Text, TrialStart)
        /// The result of ``Action/giveUp(_:_:)`` for the connection with this id.
        case gaveUp(Text, TrialEnd)
        /// The result of ``Action/discard(_:)``: the connection is removed (nil), or the text is the reason why not.
        case discarded(Text, String?)
        /// The result of ``Action/goBack``: the stored connections that had no link.
        case wentBack(Result<[Route], ConnectFailure>)
        /// A connection is being deleted.
        case remove(Text)
        /// The time of ``DestinationCore/deadline`` is reached.
        case deadlineReached

        /// Whether an earlier failure of the store is over after this event, if no failed step waits to be repeated:
        /// a step on the store succeeded, or the failed steps of a removed connection are no longer needed.
        var endsStoreFailure: Bool {
            switch self {
            case .loaded, .made(_, nil), .noted(_, nil), .adopted(_, nil), .trialBegun, .gaveUp, .discarded(_, nil),
                .wentBack, .remove:
                true
            default: false
            }
        }
    }

    /// The actions of a destination, which its driver carries out. An action that takes time returns its result as an
    /// event.
    enum Action: Sendable {
        /// Read the stored data of the destination, and create the links of its connections.
        case load
        /// Report the editions of the invitation files.
        case look
        /// Read the invitation file with this number.
        case read(file: Int)
        /// Create the connection and store it, then store the ids of the `accepted` invitations.
        case make(Route, accepted: [Text])
        /// Run the link of the connection.
        case start(Text)
        /// End the link of the connection: it sends and stores nothing more.
        case stop(Text)
        /// Ask the inviter, over the connection, whether it accepts this connection for the invitation.
        case ask(Text, Invitation)
        /// Answer the requests of the invitation over the connection.
        case answer(Text, Invitation)
        /// Store the ids of the accepted invitations, because the invitation with the id `for` was carried out.
        case note([Text], for: Text)
        /// Stop the link of the connection, and remove the connection.
        case discard(Text)
        /// Make the mailbox delete the key of the connection, which has ended.
        case close(Text)
        /// Make the connection the connection to the mailbox that its peer granted.
        case adopt(Text)
        /// Stop using the mailbox, because its connection was deleted.
        case disown(Text)
        /// Create and store a second connection, which uses the mailbox. Do nothing if no connection by its invitation
        /// may use the mailbox, for example because an earlier one failed.
        case beginTrial(Route)
        /// End a trial: unless the connection is connected now, stop its link, record that no connection through the
        /// mailbox can be made by the invitation, and remove the connection.
        case giveUp(Text, Invitation)
        /// Make the connection to the mailbox carry reports again, and create its link.
        case goBack
        /// Wake all links: a new connection may become the active one.
        case wake
        /// Return the result of an operator's invitation, for the request with this number.
        case reply(Int, Result<Connecting, ConnectFailure>)
        /// Report an event.
        case notice(DestinationNotice)
    }
}
