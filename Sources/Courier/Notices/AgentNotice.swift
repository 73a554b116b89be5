package import Aries
package import Encoding
package import Mailboxes

/// A notice of a connection, for log, lamps and terminal. It contains no secrets and no claims.
package enum AgentNotice: Hashable, Sendable {
    /// The handshake is complete; `did` is the peer's DID.
    case connected(did: Text)
    /// The inviter refused the connection request or answered it wrongly. The gate makes another attempt.
    case handshakeRefused(reason: Text)
    /// The inviter's server accepted every form of the connection request, but no answer arrived. The gate makes
    /// another attempt.
    case unanswered
    /// No connection request was answered for days. The gate sends no more.
    case gaveUp
    /// Messages reach the peer again.
    case reachable
    /// Messages do not reach the peer, for the given reason. The gate repeats its attempts until one succeeds.
    case unreachable(ExchangeFailure)
    /// The peer answered a ping.
    case alive
    /// This connection is the active one of its destination from now on. Delivery continues after `position`.
    case tookOver(position: Int)
    /// Another connection has replaced this connection.
    case retired
    /// The destination has confirmed every entry up to `position`.
    case confirmed(position: Int)
    /// This connection has replaced the connections with the given ids, which are no longer needed. The service
    /// notifies their peers.
    case replaced([Text])
    /// The link has determined how it sends reports to the destination and what confirms them.
    case found(ReportWay)
    /// Several pings in a row had no answer. The gate sends nothing until the peer answers a ping.
    case silent
    /// The peer, which had not answered pings, answers again.
    case heard
    /// The link sends no reports for the given reason, although the peer is reachable.
    case held(ReportHold)
    /// The link sends reports again after such an interruption.
    case released
    /// The peer's server refuses the entry at `position`. The delivery skips this entry.
    case setAside(position: Int)
    /// The ledger no longer has the entries at these positions, and the peer does not have them either.
    case gone(ClosedRange<Int>)
    /// The peer has lost the entries after the position `after`, although it had sent receipts for them. The link
    /// sends them again.
    case refill(after: Int)
    /// The peer has a head that this gate signed and that this ledger does not contain. The ledger was restored from
    /// an older state, or rewritten.
    case behind(ReportPoint)
    /// The peer claims a position that this ledger does not contain, without a head that this gate signed.
    case claimed(ReportPoint)
    /// The peer's statement about the ledger agrees with the ledger again.
    case agreed
    /// The link ignores a statement of the peer about the ledger, for the given reason.
    case refusedAnswer(ReportError)
    /// The peer's server refused a message with the HTTP status `status`.
    case refused(Text, status: Int)
    /// The peer acknowledged the messages with the given ids.
    case acknowledged([Text])
    /// The peer sent a text message with the id `id` and a length of `bytes` bytes.
    case message(id: Text, bytes: Int)
    /// The peer reported a problem with the code `code`.
    case problem(code: Text)
    /// An inbound message was ignored, for the given reason.
    case discarded(Discard)
    /// A message from the mailbox could not be read, for the given reason, and was quarantined.
    case quarantined(Discard)
    /// The agent keeps no messages for this gate, or cannot be asked to do so. The gate asks again at the next start,
    /// or a day later.
    case mailboxDenied(MailboxFailure)
    /// The unconfirmed entries of an earlier ledger cannot be read now; the text is the reason. The gate
    /// tries the read again.
    case pastUnread(String)
    /// The delivery of an earlier ledger has ended; the text is the reason. The destination never gets the given
    /// number of its reports.
    case pastGivenUp(reports: Int, String)
    /// The connection's state or the outbox could not be read or written; the text is the reason. Nothing is
    /// sent until that works again.
    case storeFailed(String)
    /// The connection's state and the outbox can be read and written again after such a failure.
    case stored
    /// The peer has another DID and another key from now on.
    case rotated
    /// The peer ended the connection.
    case ended

    /// Whether the notice is routine: normal operation repeats it, or a peer can cause it at will.
    var isRoutine: Bool {
        switch self {
        case .alive, .confirmed, .acknowledged, .message, .discarded, .refusedAnswer: true
        default: false
        }
    }

    /// The text of the notice for the log.
    package var text: String {
        switch self {
        case .connected: "connected"
        case .handshakeRefused(let reason): Self.refusal(reason)
        case .unanswered: "the agent accepts the connection request and does not answer it"
        case .gaveUp: "the agent answered no connection request for days; no more are sent"
        case .reachable: "the agent is reachable"
        case .unreachable(let failure): "the agent is not reachable: \(Self.text(failure)); trying again"
        case .alive: "the agent answered a ping"
        case .tookOver(let position): "reports are sent over this connection now, from position \(position + 1) on"
        case .retired: "another connection has replaced it"
        case .confirmed(let position): "confirmed up to position \(position)"
        case .replaced: "the previous connection is no longer needed; its agent is notified"
        case .silent: "the agent accepts messages and does not answer; reports are queued until it answers"
        case .found(let way): "reports are sent \(Self.text(way))"
        case .heard: "the agent answers again"
        case .held(let reason): "reports are queued: \(Self.text(reason))"
        case .released: "reports continue"
        case .setAside(let position):
            "the entry at position \(position) is skipped: the agent's server refuses only this one"
        case .gone(let positions):
            "the entries at positions \(positions.lowerBound) to \(positions.upperBound) have been deleted, and the "
                + "agent does not have them"
        case .refill(let position):
            "the agent has lost the records after \(position), for which it had sent receipts; they are sent again"
        case .behind(let point):
            "the agent has a head that this box signed at position \(point.position), which this ledger does not "
                + "contain"
        case .claimed(let point):
            "the agent claims to have position \(point.position), which this ledger does not contain, and shows no "
                + "head for it that this box signed"
        case .agreed: "the agent's claimed position agrees with the ledger again"
        case .refusedAnswer(let error): "an answer of the agent was refused: \(error)"
        case .refused(let id, let status): "the agent's server refused the message \(id) with status \(status)"
        case .acknowledged(let ids): "\(ids.count) acknowledged"
        case .message(let id, let bytes): "message \(id) of \(bytes) bytes from the agent"
        case .problem(let code): "the agent reports a problem: \(code)"
        case .quarantined(let reason):
            "an unreadable message from the mailbox was quarantined: \(reason.rawValue)"
        case .mailboxDenied(let failure):
            "the agent grants no mailbox, so messages that it sends on its own initiative do not arrive: "
                + MailboxNotice.text(failure)
        case .discarded(let reason): "an inbound message was dropped: \(reason.rawValue)"
        case .pastUnread(let reason): "reports are queued: the rest of the previous ledger cannot be read: \(reason)"
        case .pastGivenUp(let reports, let reason):
            "\(reports) report\(reports == 1 ? "" : "s") of a previous ledger cannot be delivered: \(reason)"
        case .storeFailed(let reason): "the connection's state could not be stored: \(reason)"
        case .stored: "the connection's state can be stored again"
        case .rotated: "the agent has changed its DID; the connection goes on"
        case .ended: "the agent ended the connection; reports are queued"
        }
    }

    private static func text(_ way: ReportWay) -> String {
        let form =
            switch way.form {
            case .records: "as the ledger's own records"
            case .single: "one in a message"
            case .several: "several in a message"
            }
        return switch way.proof {
        case .receipt: "\(form), confirmed by the agent's receipts"
        case .controller: "\(form), confirmed by the controller"
        case .alive:
            "\(form); an answered ping confirms them, which does not prove that the agent stored them"
        }
    }

    private static func text(_ reason: ReportHold) -> String {
        switch reason {
        case .unconfirmed: "the agent is reachable and confirms nothing (check its log and agent.confirm)"
        case .notStored: "the agent cannot store them now (check its database)"
        case .foreign: "the agent receives this ledger over another connection (was the box copied?)"
        case .unknownProtocol: "the agent does not know verification-report/1.0 (add the plugin, or set agent.format)"
        case .refused: "the agent's server refuses every report (check its log and limits)"
        case .problem(let code): "the agent reports a problem: \(code)"
        }
    }

    private static func refusal(_ reason: Text) -> String {
        reason == Self.notAccepted
            ? "the agent does not accept the connection request: a single-use invitation is valid once"
            : "the agent's answer to the connection request was refused: \(reason)"
    }

    /// The code with which an inviter refuses a second connection request by a single-use invitation (RFC 0160, RFC
    /// 0023).
    private static let notAccepted: Text = "request_not_accepted"

    /// The remedy for the operator, if ``text`` does not contain it; nil if nothing is to be done.
    package var remedy: String? {
        switch self {
        case .handshakeRefused(Self.notAccepted), .unanswered:
            "ask the agent's operator for a multi-use invitation: the answer to a single-use invitation may have been "
                + "lost, and it is sent only once"
        case .gaveUp: "ask the agent's operator for a new multi-use invitation"
        case .handshakeRefused: "ask the agent's operator for a new invitation, and check the agent's log"
        case .unreachable(.refused), .unreachable(.forbidden), .unreachable(.notStored): nil
        case .unreachable: "check the network and the agent; the service keeps retrying"
        case .silent: "check the agent: if it has deleted the connection, connect again with a new invitation"
        case .ended: "ask the agent's operator for a new invitation"
        case .held, .storeFailed: "see gatehouse status"
        default: nil
        }
    }

    /// Returns a failure in plain words, with the remedy.
    package static func text(_ failure: ExchangeFailure) -> String {
        switch failure {
        case .unreachable: "no connection (check network and address; for https also the clock and agent.rootsFile)"
        case .uncertain: "no complete answer"
        case .tooLarge:
            "its server's answer is too large for this box (check the messages that are queued at the "
                + "agent)"
        case .refused(let status): "its server answers \(status) (check the address in the invitation)"
        case .forbidden: "its address is not allowed (plain http needs agent.allowPlainHTTP)"
        case .notStored: "the connection's state could not be stored"
        }
    }
}
