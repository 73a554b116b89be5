package import Aries
package import Encoding
package import HTTPTransport
package import Mailboxes
package import Settings

/// A notice of the mailbox, for log and lamps.
package enum MailboxNotice: Hashable, Sendable {
    /// An agent keeps messages for this gate from now on.
    case adopted
    /// The mailbox works.
    case serves
    /// The mailbox does not work, for the given reason. The gate tries it again.
    case failed(MailboxFailure)
    /// Posts to the mailbox succeed (nil), or fail for the given reason.
    case reachability(ExchangeFailure?)
    /// No connection could be made through the mailbox at the own agent. The first connection to that agent carries
    /// reports again, as before.
    case givenUp
    /// The mailbox is no longer used.
    case dropped
    /// The connection with the given id was the connection to a mailbox that is no longer used. The service notifies
    /// its peer.
    case replaced(Text)
    /// A message that no connection can read was quarantined; the text is the reason.
    case quarantined(Text)
    /// The mailbox has deleted the key of a connection. `isComplete` is false if a part of the deletion failed.
    case closed(isComplete: Bool)
    /// The invitation to the mailbox cannot be used; the text is the reason.
    case invitationFailed(String)
    /// The sponsor's token cannot be obtained, for the given reason.
    case tokenFailed(TokenSource.Failure)
    /// The gate listens at the given address for the agency's notifications.
    case listens(ListenAddress)
    /// The gate cannot listen at the given address, for the given reason. Messages arrive with the regular fetches
    /// only.
    case cannotListen(ListenAddress, ListenFailure)
    /// The stored mailbox cannot be read. It is not changed.
    case unreadable
    /// The stored mailbox is not the one that the configuration names.
    case otherMailbox
    /// The mailbox or a message could not be stored, or not be read from the store; the text is the reason.
    case storeFailed(String)
    /// The mailbox and its messages can be stored and read again after such a failure.
    case stored

    /// A line for the log, with the remedy.
    package var text: String {
        switch self {
        case .adopted: "the agent grants a mailbox: connecting again, through the mailbox"
        case .serves: "the mailbox works"
        case .failed(let failure): "the mailbox does not work: \(Self.text(failure))"
        case .reachability(nil): "the mailbox is reachable"
        case .reachability(let failure?): "the mailbox is not reachable: \(AgentNotice.text(failure)); trying again"
        case .givenUp:
            "no answer through the mailbox (a single-use invitation is answered once): reports continue without a "
                + "mailbox, and messages that the agent sends on its own initiative do not arrive; ask for a multi-use "
                + "invitation"
        case .dropped: "the mailbox is no longer used"
        case .replaced: "the connection to the mailbox is no longer needed; its agent is notified"
        case .quarantined(let reason): "an unreadable message was quarantined: \(reason)"
        case .closed(let isComplete):
            isComplete ? "the mailbox removed a connection" : "the mailbox could not remove a connection"
        case .invitationFailed(let reason): "the invitation to the mailbox cannot be used: \(reason)"
        case .tokenFailed(let failure): "the mailbox does not work: \(failure.text) (\(failure.remedy))"
        case .listens(let address): "the agency can notify this box at \(address)"
        case .cannotListen(let address, let failure):
            "the agency cannot notify this box at \(address): \(Self.text(failure)); messages arrive with the regular "
                + "polls"
        case .unreadable:
            "the stored mailbox cannot be read (restore the key that seals it, agent.keyFile, and restart; or delete "
                + "it with gatehouse agent delete, and a new one is created)"
        case .otherMailbox:
            "the connections' mailbox is not the configured one (restore [agency], or delete its connections and then "
                + "the mailbox with gatehouse agent delete, and connect again)"
        case .storeFailed(let reason): "the mailbox could not be stored: \(reason)"
        case .stored: "the mailbox can be stored again"
        }
    }

    private static func text(_ failure: ListenFailure) -> String {
        switch failure {
        case .inUse:
            "another program uses the address (stop it, or choose another port for agency.webhookListen and its proxy)"
        case .notHere: "this machine does not have that address (set agency.webhookListen to one that it has)"
        case .forbidden: "the system does not permit it (use a port from 1024 on)"
        case .broken: "the system provides no socket (check its limits); trying again"
        }
    }

    /// Returns a failure in plain words, with the remedy.
    package static func text(_ failure: MailboxFailure) -> String {
        switch failure {
        case .denied: "it is not granted (ask its operator; ACA-Py: --open-mediation --enable-undelivered-queue)"
        case .badAddress: "the granted address cannot be used (plain http needs agent.allowPlainHTTP)"
        case .otherKey: "its key differs from the configured one"
        case .unauthorised: "it refuses this kiosk"
        case .keyTaken: "it already knows the key; the service uses another one"
        case .needsToken: "it requires an unused sponsor's token that has not expired (agency.token)"
        case .malformed: "its answer violates the protocol"
        case .tooMuch:
            "the queued messages of a connection exceed 8 MiB and can only be fetched together (gatehouse agent "
                + "delete, and connect again)"
        case .silent: "it accepts messages and does not answer (check the agent; it may have deleted the connection)"
        case .ended: "it has ended the connection (ask its operator for a new invitation)"
        case .problem(let code): "it reports a problem: \(code)"
        }
    }
}
