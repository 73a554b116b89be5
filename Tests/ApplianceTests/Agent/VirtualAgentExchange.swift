import Appliance
import Aries
import Encoding
import HTTPTransport
import Simulation

/// Wears the face of the network in front of a ``VirtualAgent``.
actor VirtualAgentExchange: MessageExchange {
    private var agent: VirtualAgent
    private let clock: AgentClock
    /// How many messages were posted, also while it was down.
    private(set) var posts = 0
    private var holds = false
    private var held: [CheckedContinuation<Void, Never>] = []

    /// The way to `agent`.
    init(_ agent: consuming VirtualAgent, clock: AgentClock = .system()) {
        self.agent = agent
        self.clock = clock
    }

    /// Posts to the agent; see ``MessageExchange/post(_:to:)``.
    func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8] {
        posts += 1
        if holds { await withCheckedContinuation { held.append($0) } }
        guard Text(url) == agent.endpoint else { throw .unreachable }
        switch agent.handle(body, at: clock.now()) {
        case .accepted(let answer): return answer
        case .unreachable: throw .unreachable
        case .lost: throw .uncertain
        case .rejected: throw .refused(status: 400)
        }
    }

    /// From now on posts wait for ``letGo()``.
    func hold() { holds = true }

    /// Whether one does.
    var isHolding: Bool { !held.isEmpty }

    /// Lets posts through again, and those that wait.
    func letGo() {
        holds = false
        for one in held { one.resume() }
        held = []
    }

    /// Where it is.
    var endpoint: Text { agent.endpoint }

    /// The agent's out-of-band invitation.
    var invitation: JSON { agent.invitation }

    /// The invitation as a URL.
    var invitationURL: Text { agent.invitationURL }

    /// Starts or stops the agent.
    func setUp(_ isUp: Bool) { agent.isUp = isUp }

    /// Loses that many of the next answers after their messages took effect.
    func loseAnswers(_ count: Int) { agent.answersToLose = count }

    /// Whether the agent acknowledges reports.
    func setAcknowledging(_ acknowledges: Bool) { agent.acknowledgesReports = acknowledges }

    /// Lets the agent keep ledgers.
    func keepLedgers() { agent.keeper = VirtualKeeper() }

    /// The ledgers that it keeps.
    var keeper: VirtualKeeper? { agent.keeper }

    /// The basicmessages that arrived, each id once.
    var received: [VirtualAgent.Received] { agent.received }

    /// The last messages that are neither basicmessages nor pings.
    var others: [JSON] { agent.others }

    /// Connections whose handshake is complete.
    var completeConnections: Int { agent.completeConnections }

    /// How many came again.
    var repetitions: Int { agent.repetitions }

    /// Changes the agent, or looks at it.
    func withAgent<Value: Sendable>(_ body: @Sendable (inout VirtualAgent) -> Value) -> Value { body(&agent) }
}
