import Aries
import Encoding
import HTTPTransport

extension AgentLinks {
    /// Answers the requests of an invitation that offers no lasting connection. Each reply is posted at most
    /// ``OneTimeReply/maxAttempts`` times, and nothing is stored.
    static func answerOnce(
        _ invitation: Invitation, _ configuration: AgentConnection.Configuration, _ dependencies: AgentLink.Dependencies
    ) async throws(Failure) -> (count: Int, refusals: Int) {
        var reply: OneTimeReply
        do {
            reply = try OneTimeReply(
                to: invitation, rules: configuration.rules, limits: configuration.limits, random: try randomStream())
        } catch let error as InvitationError {
            throw .invitation(error)
        } catch {
            throw .noRandomness
        }
        var event = OneTimeReply.Event.start
        while true {
            guard !Task.isCancelled else { throw .unanswered(.uncertain) }
            let actions = reply.handle(event, at: dependencies.clock.now())
            event = .deadlineReached
            for action in actions {
                switch action {
                case .post(let url, let body):
                    do throws(ExchangeError) {
                        _ = try await dependencies.exchange.post(body, to: url.string)
                        event = .answered
                    } catch {
                        event = .failed(error.failure)
                    }
                case .finished(_, _, let failure?): throw .unanswered(failure)
                case .finished(let count, let refusals, nil): return (count, refusals)
                }
            }
            if actions.isEmpty, let deadline = reply.deadline { await dependencies.clock.sleep(deadline) }
        }
    }
}

extension ExchangeError {
    /// The failure that a connection reports for this error.
    var failure: ExchangeFailure {
        switch self {
        case .forbidden: .forbidden
        case .unreachable, .untrusted, .notAnAgent: .unreachable
        case .uncertain, .cancelled: .uncertain
        case .tooLarge: .tooLarge
        case .refused(let status): .refused(status: status)
        }
    }
}
