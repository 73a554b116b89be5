import Clocks
package import Encoding
import Kiosk
import Synchronization

/// The information of a running link in addition to its stored state: when its agent last sent something, its
/// present problem, and the results of its pings.
///
/// The notes are written on the link's executor and read from any thread.
package final class LinkStatus: Sendable {
    /// A ping that an operator asked for.
    package struct Ping: Hashable, Sendable {
        /// The number of the ping on this link, from 1.
        package var number: Int
        /// The time from the connection request to the agent's first message; nil if no message has arrived
        /// yet.
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
    /// The time since which the agent's answers are noted. Earlier answers are not known.
    package let since: Timestamp
    private let clock: Clock

    /// Creates notes whose times are those of `clock`.
    init(_ clock: Clock) { (self.clock, since) = (clock, clock.utc()) }

    /// The time of the last message that only the agent can have sent; nil if none arrived since ``since``.
    /// The time is not stored, because each answer would then cost a write. A time that is stored only
    /// sometimes would be mistaken for that of the last answer.
    package var answered: Timestamp? { state.withLock(\.answered) }

    /// The present problem of the link; nil if no problem is known.
    package var problem: AgentNotice? { state.withLock(\.problem) }

    /// The last ping that was asked for.
    package var ping: Ping? { state.withLock(\.ping) }

    /// Whether the agent may still grant a mailbox over this connection. If the agent grants one, the
    /// connection leads to that mailbox. nil: the link does not run yet.
    package var asksForMailbox: Bool? { state.withLock(\.asksForMailbox) }

    /// The number of answers that wait to be sent; nil: the link does not run yet.
    package var unsent: Int? { state.withLock(\.unsent) }

    func note(unsent: Int) { state.withLock { $0.unsent = unsent } }

    func note(asksForMailbox: Bool) { state.withLock { $0.asksForMailbox = asksForMailbox } }

    /// Starts a ping that an operator asked for. Returns its number.
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
