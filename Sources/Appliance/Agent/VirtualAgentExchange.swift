package import Encoding
package import HTTPTransport
package import Simulation

/// Wears the face of the network in front of a ``VirtualAgent``: for `gatehouse demo` and tests.
package actor VirtualAgentExchange: MessageExchange {
    private var agent: VirtualAgent
    private let clock: AgentClock
    /// How many messages were posted, also while it was down.
    package private(set) var posts = 0

    /// The way to `agent`.
    package init(_ agent: consuming VirtualAgent, clock: AgentClock = .system()) {
        self.agent = agent
        self.clock = clock
    }

    /// Posts to the agent; see ``MessageExchange/post(_:to:)``.
    package func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8] {
        posts += 1
        guard Text(url) == agent.endpoint else { throw .unreachable }
        switch agent.handle(body, at: clock.now()) {
        case .accepted(let answer): return answer
        case .unreachable: throw .unreachable
        case .lost: throw .uncertain
        case .rejected: throw .refused(status: 400)
        }
    }

    /// The agent's out-of-band invitation.
    package var invitation: JSON { agent.invitation }

    /// The invitation as a URL.
    package var invitationURL: Text { agent.invitationURL }

    /// Starts or stops the agent.
    package func setUp(_ isUp: Bool) { agent.isUp = isUp }

    /// Loses that many of the next answers after their messages took effect.
    package func loseAnswers(_ count: Int) { agent.answersToLose = count }

    /// Whether the agent acknowledges reports.
    package func setAcknowledging(_ acknowledges: Bool) { agent.acknowledgesReports = acknowledges }

    /// The basicmessages that arrived, each id once.
    package var received: [VirtualAgent.Received] { agent.received }

    /// How many came again.
    package var repetitions: Int { agent.repetitions }
}
