package import Encoding

/// The question to an agent whether it keeps messages for us, asked over a connection that may have other things to do.
///
/// A value without clock and network. No answer in time is a denial; a denied question is asked again a day later.
package struct MediationQuestion: Sendable {
    /// How long an agent may take; a controller that has to agree by hand takes longer and is asked again.
    package static let answerTime = Duration.seconds(30)
    /// When a denial is doubted.
    package static let pause = Duration.seconds(86_400)

    private enum State: Sendable {
        case due(Instant)
        case handedOver
        case sent(until: Instant)
        case answered
    }

    private var state = State.due(.zero)
    /// The id of the request.
    package let id: Text
    private let allowsPlainHTTP: Bool
    private let answerTime: Duration

    /// A question that is due at once; the agent may take `answerTime`.
    package init(id: Text, allowsPlainHTTP: Bool, answerTime: Duration = Self.answerTime) {
        (self.id, self.allowsPlainHTTP, self.answerTime) = (id, allowsPlainHTTP, answerTime)
    }

    /// Whether an answer may come any moment.
    package var isOpen: Bool {
        switch state {
        case .due, .answered: false
        case .handedOver, .sent: true
        }
    }

    /// Whether the request is on its way to the agent's server.
    package var isUnderWay: Bool { if case .handedOver = state { true } else { false } }

    /// When ``message(at:)`` or ``expire(at:)`` has something new.
    package var deadline: Instant? {
        switch state {
        case .due(let time), .sent(let time): time
        case .handedOver, .answered: nil
        }
    }

    /// The request, when it is to be sent now.
    package mutating func message(at now: Instant) -> OutboundMessage? {
        guard case .due(let time) = state, now >= time else { return nil }
        state = .handedOver
        return Coordination.request(id: id)
    }

    /// The agent's server took it.
    package mutating func sent(at now: Instant) {
        if case .handedOver = state { state = .sent(until: now.advanced(by: answerTime)) }
    }

    /// The agent's server, or the agent, refuses it.
    package mutating func refused(at now: Instant) -> MailboxFailure? { deny(at: now) }

    /// Ask at once: a restart, or an operator wants it.
    package mutating func askNow() { if case .due = state { state = .due(.zero) } }

    /// The time is `now`; a failure when there was no answer by that.
    package mutating func expire(at now: Instant) -> MailboxFailure? {
        guard case .sent(let until) = state, now >= until else { return nil }
        return deny(at: now)
    }

    /// Reads an answer, as long as one is awaited: a grant nobody asked for changes nothing.
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
