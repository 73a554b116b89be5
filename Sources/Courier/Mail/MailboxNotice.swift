package import Aries
package import Encoding
package import HTTPTransport
package import Settings

/// An event of the mailbox, for logs and lamps.
package enum MailboxNotice: Hashable, Sendable {
    /// An agent keeps messages for this gate from now on.
    case adopted
    /// The mailbox works.
    case serves
    /// The mailbox does not work, for the given reason. The gate tries it again.
    case failed(MailboxFailure)
    /// The mailbox is reachable (nil), or is not reachable for the given reason.
    case reachability(ExchangeFailure?)
    /// No connection could be made through the mailbox. The connection that leads to the mailbox is used as
    /// before and itself delivers reports.
    case givenUp
    /// The mailbox is no longer used.
    case dropped
    /// The connection with the given id led to a mailbox that is no longer used. The connection's peer is to
    /// be notified.
    case replaced(Text)
    /// A message that no connection can read was quarantined; the text is the reason.
    case quarantined(Text)
    /// The mailbox has forgotten a connection. `isComplete` is false if the mailbox could not forget it
    /// completely.
    case closed(isComplete: Bool)
    /// The invitation to the mailbox cannot be used; the text is the reason.
    case invitationFailed(String)
    /// The sponsor's token cannot be obtained, for the given reason.
    case tokenFailed(TokenSource.Failure)
    /// The gate listens at the given address, where the agency can wake it.
    case listens(ListenAddress)
    /// The gate cannot listen at the given address. Messages arrive with the regular fetches.
    case cannotListen(ListenAddress, ListenFailure)
    /// The stored mailbox cannot be read. It is not changed.
    case unreadable
    /// The stored mailbox is not the one that the configuration names.
    case otherMailbox
    /// The mailbox or a message could not be stored, or not be read from the store; the text is the reason.
    case storeFailed(String)

    /// A line for the log, with the remedy.
    package var text: String {
        switch self {
        case .adopted: "the agent keeps messages for us: connecting once more, through its mailbox"
        case .serves: "the mailbox serves"
        case .failed(let failure): "the mailbox does not serve: \(Self.text(failure))"
        case .reachability(nil): "the mailbox is reachable"
        case .reachability(let failure?): "the mailbox is not reachable: \(AgentNotice.text(failure)); trying again"
        case .givenUp:
            "no answer through the mailbox (a single-use invitation is answered once): reports go on without one, and what "
                + "the agent sends by itself does not arrive; ask for a multi-use invitation"
        case .dropped: "the mailbox is not used any more"
        case .replaced: "the connection to the mailbox is not needed any more; its agent is told"
        case .quarantined(let reason): "a message was put aside that nobody here can read: \(reason)"
        case .closed(let isComplete):
            isComplete ? "the mailbox forgot a connection" : "the mailbox cannot forget a connection"
        case .invitationFailed(let reason): "the invitation to the mailbox cannot be used: \(reason)"
        case .tokenFailed(let failure): "the mailbox does not serve: \(failure.text) (\(failure.remedy))"
        case .listens(let address): "the agency can wake this box at \(address)"
        case .cannotListen(let address, let failure):
            "the agency cannot wake this box at \(address): \(Self.text(failure)); messages come with the regular looks"
        case .unreadable:
            "the stored mailbox cannot be read (put back the key that seals it, agent.keyFile, and restart; or delete it with gatehouse "
                + "agent delete, and another one is made)"
        case .otherMailbox:
            "the connections' mailbox is another one than the configuration names (put [agency] back as it was, or delete the "
                + "mailbox with gatehouse agent delete and connect anew)"
        case .storeFailed(let reason): "the mailbox could not be stored: \(reason)"
        }
    }

    private static func text(_ failure: ListenFailure) -> String {
        switch failure {
        case .inUse:
            "another program listens there (end it, or choose another port for agency.webhookListen and its proxy)"
        case .notHere: "this machine does not have that address (write one that it has into agency.webhookListen)"
        case .forbidden: "the system does not allow it (ports from 1024 on are free to use)"
        case .broken: "the system gives no socket (look at its limits); trying again"
        }
    }

    /// Returns the plain words for a failure, with the remedy.
    package static func text(_ failure: MailboxFailure) -> String {
        switch failure {
        case .denied: "it is not granted (ask its operator; ACA-Py: --open-mediation --enable-undelivered-queue)"
        case .badAddress: "the address that it grants cannot be used (plain http needs agent.allowPlainHTTP)"
        case .otherKey: "it has another key than the configuration says"
        case .unauthorised: "it does not let this kiosk in"
        case .keyTaken: "it knows the key already; another one is taken"
        case .needsToken: "it wants a sponsor's token that was not used and is not too old (agency.token)"
        case .malformed: "its answer breaks the protocol"
        case .tooMuch:
            "what waits for a connection is more than 8 MiB and comes only at once (gatehouse agent delete, and connect anew)"
        case .silent: "it takes messages and answers none (look at the agent; it may have deleted the connection)"
        case .ended: "it has ended the connection (ask its operator for a new invitation)"
        case .problem(let code): "it reports a problem: \(code)"
        }
    }
}
