package import Encoding
import Kiosk
import LinuxIO
import Synchronization

/// What a running link knows beside its stored state: when its agent last said something, what is wrong, and how its pings fare.
///
/// Told on the link's executor, read from anywhere.
package final class LinkNotes: Sendable {
    /// A ping that an operator asked for.
    package struct Ping: Hashable, Sendable {
        /// Counts those of this link, from 1 on.
        package var number: Int
        /// From the question to the first sign of life; nil: none yet.
        package var took: Duration?
    }

    private struct State: Sendable {
        var answered: Timestamp?
        var problem: AgentNotice?
        var ping: Ping?
        var asked = Instant.zero
        var asksForMailbox: Bool?
    }

    private let state = Mutex(State())
    /// Since when it is looked at: what the agent said before is not known.
    package let since = SystemClock.utc()

    init() {}

    /// When the agent last said something that only it can say; nil: not since ``since``. Not kept: it would be a write for each answer,
    /// and a time that was kept now and then would be taken for the last one.
    package var answered: Timestamp? { state.withLock(\.answered) }

    /// What stands in the way; nil: nothing that is known.
    package var problem: AgentNotice? { state.withLock(\.problem) }

    /// The last ping that was asked for.
    package var ping: Ping? { state.withLock(\.ping) }

    /// Whether its agent may yet grant a mailbox over this connection. If it does, the connection leads to that
    /// mailbox. nil: the link does not run yet.
    package var asksForMailbox: Bool? { state.withLock(\.asksForMailbox) }

    func note(asksForMailbox: Bool) { state.withLock { $0.asksForMailbox = asksForMailbox } }

    /// A ping is asked for; returns its number.
    func ask() -> Int {
        state.withLock { state in
            let number = (state.ping?.number ?? 0) + 1
            (state.ping, state.asked) = (Ping(number: number), SystemClock.now())
            return number
        }
    }

    func take(_ notice: AgentNotice) {
        state.withLock { state in
            switch notice {
            case .unreachable, .handshakeRefused, .unanswered, .silent, .held, .storeFailed, .ended:
                state.problem = notice
            case .reachable:
                if case .unreachable = state.problem { state.problem = nil }
            case .connected, .heard, .released, .alive: state.problem = nil
            default: break
            }
            switch notice {
            case .connected, .alive, .heard, .confirmed, .acknowledged, .message, .problem, .ended:
                state.answered = SystemClock.utc()
            default: break
            }
            if case .alive = notice, let ping = state.ping, ping.took == nil {
                state.ping?.took = state.asked.duration(to: SystemClock.now())
            }
        }
    }
}
