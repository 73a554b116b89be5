package import Aries
package import Encoding

/// The question to an agent whether it keeps messages for this gate, asked over a connection that may carry
/// other messages.
///
/// A value without clock and network. No answer in time counts as a denial. After a denial the question is
/// asked again a day later.
package struct MediationQuestion: Sendable {
    /// The time limit for the answer. A controller that has to agree by hand takes longer, and is asked
    /// again.
    package static let answerTime = Duration.seconds(30)
    /// The time from a denial to the next question.
    package static let pause = Duration.seconds(86_400)

    private enum State: Sendable {
        case due(Instant)
        /// `until`: the time limit for the agent's server; nil while the request certainly has not reached it.
        case handedOver(until: Instant?)
        case sent(until: Instant)
        case answered
    }

    private var state = State.due(.zero)
    /// The id of the request.
    package let id: Text
    private let allowsPlainHTTP: Bool
    private let answerTime: Duration

    /// Creates a question that is due at once. `answerTime`: the time limit for the answer.
    package init(id: Text, allowsPlainHTTP: Bool, answerTime: Duration = Self.answerTime) {
        (self.id, self.allowsPlainHTTP, self.answerTime) = (id, allowsPlainHTTP, answerTime)
    }

    /// Whether an answer may arrive.
    package var isOpen: Bool {
        switch state {
        case .due, .answered: false
        case .handedOver, .sent: true
        }
    }

    /// Whether the request is on its way to the agent's server.
    package var isUnderWay: Bool { if case .handedOver = state { true } else { false } }

    /// When ``message(at:)`` or ``expire(at:)`` returns a new result.
    package var deadline: Instant? {
        switch state {
        case .due(let time), .sent(let time): time
        case .handedOver(let time): time
        case .answered: nil
        }
    }

    /// Returns the request for mediation if it is to be sent now; otherwise nil.
    package mutating func message(at now: Instant) -> OutboundMessage? {
        guard case .due(let time) = state, now >= time else { return nil }
        state = .handedOver(until: nil)
        return Coordination.request(id: id)
    }

    /// Records that the agent's server accepted the request.
    package mutating func sent(at now: Instant) {
        if case .handedOver = state { state = .sent(until: now.advanced(by: answerTime)) }
    }

    /// Records that a post to the agent's server failed, which the server may have received. A server that does not
    /// accept the request within the time limit for an answer counts as a denial: other messages wait for it.
    package mutating func failed(at now: Instant) {
        if case .handedOver(nil) = state { state = .handedOver(until: now.advanced(by: answerTime)) }
    }

    /// Records that the agent's server, or the agent, refuses the request.
    package mutating func refused(at now: Instant) -> MailboxFailure? { deny(at: now) }

    /// Makes the question due at once, after a restart or when an operator asks.
    mutating func askNow() { if case .due = state { state = .due(.zero) } }

    /// Checks the time limit at `now`. Returns a failure if there was no answer in time.
    package mutating func expire(at now: Instant) -> MailboxFailure? {
        isOpen && deadline.map { now >= $0 } == true ? deny(at: now) : nil
    }

    /// Reads an answer while one is awaited. A grant that was not asked for changes nothing.
    package mutating func take(_ message: Message, at now: Instant) throws(MailboxProblem) -> MailboxAddress? {
        guard isOpen else { return nil }
        do throws(MailboxProblem) {
            switch try Coordination.answer(message, allowsPlainHTTP: allowsPlainHTTP) {
            case .granted(let address):
                state = .answered
                return address
            case .denied: throw MailboxProblem(.denied)
            case .updated, nil: return nil
            }
        } catch {
            _ = deny(at: now)
            throw error
        }
    }

    private mutating func deny(at now: Instant) -> MailboxFailure? {
        guard isOpen else { return nil }
        state = .due(now.advanced(by: Self.pause))
        return .denied
    }
}
