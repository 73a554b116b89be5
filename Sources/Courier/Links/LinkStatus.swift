import Clocks
package import Encoding
import Kiosk
import Synchronization

/// The notes about a running link that are not stored: when its agent last sent a message, its present problem, and
/// the result of the last ping.
///
/// The link writes the notes. Any thread may read them.
package final class LinkStatus: Sendable {
    /// A ping of the agent that an operator asked for.
    package struct Ping: Hashable, Sendable {
        /// The number of the ping among the pings of this link, from 1.
        package var number: Int
        /// The time from the operator's request to the agent's next answer to a ping; nil if there is no answer yet.
        package var took: Duration?
    }

    private struct State: Sendable {
        var answered: Timestamp?
        var problem: AgentNotice?
        var ping: Ping?
        var asked = Instant.zero
        var asksForMailbox: Bool?
        var unsent: Int?
    }

    private let state = Mutex(State())
    /// The time since which answers are noted. Earlier answers are unknown.
    package let since: Timestamp
    private let clock: Clock

    /// Creates notes. `clock`: the clock for their times.
    init(_ clock: Clock) { (self.clock, since) = (clock, clock.utc()) }

    /// The time of the last message that only the agent can have sent; nil if none arrived since ``since``. It is not
    /// stored: to store it with each answer would cost a write, and a time that is stored only sometimes could be
    /// mistaken for the time of the last answer.
    package var answered: Timestamp? { state.withLock(\.answered) }

    /// The present problem of the link; nil if no problem is known.
    package var problem: AgentNotice? { state.withLock(\.problem) }

    /// The last ping that an operator asked for; nil if there was none.
    package var ping: Ping? { state.withLock(\.ping) }

    /// Whether the agent may still grant a mailbox over this connection, which would become the connection to that
    /// mailbox. Nil if the link does not run yet.
    package var asksForMailbox: Bool? { state.withLock(\.asksForMailbox) }

    /// The number of answers that wait to be sent; nil if the link does not run yet.
    package var unsent: Int? { state.withLock(\.unsent) }

    func note(unsent: Int) { state.withLock { $0.unsent = unsent } }

    func note(asksForMailbox: Bool) { state.withLock { $0.asksForMailbox = asksForMailbox } }

    /// Records that an operator asks for a ping. Returns the number of the ping.
    func ask() -> Int {
        state.withLock { state in
            let number = (state.ping?.number ?? 0) + 1
            (state.ping, state.asked) = (Ping(number: number), clock.now())
            return number
        }
    }

    func take(_ notice: AgentNotice) {
        state.withLock { state in
            switch notice {
            case .unreachable, .handshakeRefused, .unanswered, .gaveUp, .silent, .held, .storeFailed, .ended:
                state.problem = notice
            case .reachable:
                if case .unreachable = state.problem { state.problem = nil }
            case .stored:
                if case .storeFailed = state.problem { state.problem = nil }
            case .connected, .heard, .released, .alive: state.problem = nil
            default: break
            }
            switch notice {
            case .connected, .alive, .heard, .confirmed, .acknowledged, .message, .problem, .ended:
                state.answered = clock.utc()
            default: break
            }
            if case .alive = notice, let ping = state.ping, ping.took == nil {
                state.ping?.took = state.asked.duration(to: clock.now())
            }
        }
    }
}
