package import Aries
package import Encoding

/// The request to an agent to accept messages for this gate as a mediator. It is sent over a connection that may carry
/// other messages, too.
///
/// The type is a state machine without clock and network. No answer in time counts as a denial. After a denial the
/// request is sent again a day later.
package struct MediationQuestion: Sendable {
    /// The time limit for the answer. If an operator of the agent has to agree by hand, the answer may take longer; the
    /// later repetition of the request then succeeds.
    package static let answerTime = Duration.seconds(30)
    /// The time from a denial to the next request.
    package static let pause = Duration.seconds(86_400)

    private enum State: Sendable {
        case due(Instant)
        /// `until`: the time limit for the agent's server to accept the request; nil as long as no post has failed that
        /// the server may have received.
        case handedOver(until: Instant?)
        case sent(until: Instant)
        case answered
    }

    private var state = State.due(.zero)
    /// The id of the request.
    package let id: Text
    private let allowsPlainHTTP: Bool
    private let answerTime: Duration

    /// Creates a request that is due at once. `id`: the id of its message; `allowsPlainHTTP`: whether an address
    /// without TLS is accepted; `answerTime`: the time limit for the answer.
    package init(id: Text, allowsPlainHTTP: Bool, answerTime: Duration = Self.answerTime) {
        (self.id, self.allowsPlainHTTP, self.answerTime) = (id, allowsPlainHTTP, answerTime)
    }

    /// Whether an answer of the agent may arrive.
    package var isOpen: Bool {
        switch state {
        case .due, .answered: false
        case .handedOver, .sent: true
        }
    }

    /// Whether the request was passed to the connection and the agent's server has not accepted it yet.
    package var isUnderWay: Bool { if case .handedOver = state { true } else { false } }

    /// When ``message(at:)`` or ``expire(at:)`` must be called next; nil if time alone changes nothing.
    package var deadline: Instant? {
        switch state {
        case .due(let time), .sent(let time): time
        case .handedOver(let time): time
        case .answered: nil
        }
    }

    /// Returns the message with the request if it is due at `now`; otherwise nil.
    package mutating func message(at now: Instant) -> OutboundMessage? {
        guard case .due(let time) = state, now >= time else { return nil }
        state = .handedOver(until: nil)
        return Coordination.request(id: id)
    }

    /// Records that the agent's server accepted the request.
    package mutating func sent(at now: Instant) {
        if case .handedOver = state { state = .sent(until: now.advanced(by: answerTime)) }
    }

    /// Records that a post of the request failed, but that the agent's server may have received it. The time limit for
    /// an answer begins: a server that does not accept the request in time counts as a denial, because other messages
    /// wait for the request.
    package mutating func failed(at now: Instant) {
        if case .handedOver(nil) = state { state = .handedOver(until: now.advanced(by: answerTime)) }
    }

    /// Records that the agent, or its server, refused the request. Returns the failure to report; nil if no answer was
    /// awaited.
    package mutating func refused(at now: Instant) -> MailboxFailure? { deny(at: now) }

    /// Makes the request due at once, after a restart or when an operator asks for it. Has no effect while an answer is
    /// awaited.
    mutating func askNow() { if case .due = state { state = .due(.zero) } }

    /// Returns a failure if the time limit for the answer has passed at `now`.
    package mutating func expire(at now: Instant) -> MailboxFailure? {
        isOpen && deadline.map { now >= $0 } == true ? deny(at: now) : nil
    }

    /// Handles the agent's answer. Returns the granted address; nil if the message is no answer, or if no answer is
    /// awaited. Throws if the agent denied the request.
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
