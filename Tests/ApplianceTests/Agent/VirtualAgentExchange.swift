import Aries
import Clocks
import Courier
import Encoding
import HTTPTransport
import Simulation

/// The network in front of a ``VirtualAgent``.
actor VirtualAgentExchange: MessageExchange {
    private var agent: VirtualAgent
    private let clock: Clock
    /// The number of posted messages, including those while the agent was down.
    private(set) var posts = 0
    private var holds = false
    private var held: [CheckedContinuation<Void, Never>] = []

    /// Creates an exchange with `agent`.
    init(_ agent: consuming VirtualAgent, clock: Clock = .system) {
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

    /// Holds posts from now on until ``letGo()``.
    func hold() { holds = true }

    /// Whether a post is held.
    var isHolding: Bool { !held.isEmpty }

    /// Releases the held posts, and holds no more.
    func letGo() {
        holds = false
        for one in held { one.resume() }
        held = []
    }

    /// The agent's endpoint.
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

    /// Makes the agent keep ledgers.
    func keepLedgers() { agent.keeper = VirtualKeeper() }

    /// The keeper of the agent's ledgers.
    var keeper: VirtualKeeper? { agent.keeper }

    /// The received basic messages, each id once.
    var received: [VirtualAgent.Received] { agent.received }

    /// The last messages that are neither basic messages nor pings.
    var others: [JSON] { agent.others }

    /// The number of connections whose handshake is complete.
    var completeConnections: Int { agent.completeConnections }

    /// The number of repeated messages.
    var repetitions: Int { agent.repetitions }

    /// Reads or changes the agent.
    func withAgent<Value: Sendable>(_ body: @Sendable (inout VirtualAgent) -> Value) -> Value { body(&agent) }
}
