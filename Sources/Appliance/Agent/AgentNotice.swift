package import Aries
package import Encoding

/// What happens on a connection, for logs, lamps and the terminal. Nothing secret and no claims are in it.
package enum AgentNotice: Sendable {
    /// The handshake is done; the peer's DID.
    case connected(did: Text)
    /// The inviter refused or answered wrongly; another attempt follows.
    case handshakeRefused(reason: Text)
    /// Messages get through again.
    case reachable
    /// Messages do not get through; they are tried again for ever.
    case unreachable(ExchangeFailure)
    /// The peer answered a ping.
    case alive
    /// This connection is the way to its destination from now on; the position behind which it goes on.
    case tookOver(position: Int)
    /// Another connection has taken its place.
    case retired
    /// The destination has confirmed everything up to that position.
    case confirmed(position: Int)
    /// Several pings in a row had no answer: nothing is sent before one is answered.
    case silent
    /// The peer's server refused a message with that status.
    case refused(Text, status: Int)
    /// The peer acknowledged messages.
    case acknowledged([Text])
    /// The peer sent a text; its length in bytes.
    case message(id: Text, bytes: Int)
    /// The peer reported a problem.
    case problem(code: Text)
    /// An inbound message was dropped.
    case discarded(Discard)
    /// The connection's state or the outbox could not be read or written; nothing is sent before that works again.
    case storeFailed(String)
    /// The peer ended the connection.
    case ended

    /// Whether it is no news: said again and again while all is well, or as often as a peer likes.
    package var isRoutine: Bool {
        switch self {
        case .alive, .confirmed, .acknowledged, .message, .discarded: true
        default: false
        }
    }

    /// A line for the log.
    package var text: String {
        switch self {
        case .connected: "connected"
        case .handshakeRefused(let reason): "the agent's answer to the handshake was refused: \(reason)"
        case .reachable: "the agent is reachable"
        case .unreachable(let failure): "the agent is not reachable: \(Self.text(failure)); trying again"
        case .alive: "the agent answered a ping"
        case .tookOver(let position): "reports go this way now, from record \(position + 1) on"
        case .retired: "another connection has taken its place"
        case .confirmed(let position): "confirmed up to record \(position)"
        case .silent: "the agent takes messages and answers none; reports wait until it answers"
        case .refused(let id, let status): "the agent's server refused the message \(id) with status \(status)"
        case .acknowledged(let ids): "\(ids.count) acknowledged"
        case .message(let id, let bytes): "message \(id) of \(bytes) bytes from the agent"
        case .problem(let code): "the agent reports a problem: \(code)"
        case .discarded(let reason): "an inbound message was dropped: \(reason.rawValue)"
        case .storeFailed(let reason): "the connection's state could not be stored: \(reason)"
        case .ended: "the agent ended the connection; reports wait"
        }
    }

    /// The plain words for a failure, with what to do about it.
    package static func text(_ failure: ExchangeFailure) -> String {
        switch failure {
        case .unreachable: "no connection (check network, address, and the clock for https)"
        case .uncertain: "no complete answer"
        case .refused(let status): "its server answers \(status) (check the address in the invitation)"
        case .forbidden: "its address is not allowed (plain http needs agent.allowPlainHTTP)"
        case .notStored: "the connection's state could not be stored"
        }
    }
}
