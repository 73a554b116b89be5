import Aries
import DIDComm
import Encoding
import Simulation

/// Returns a random stream that `seed` determines.
func stream(_ seed: UInt8) -> RandomStream {
    guard let stream = RandomStream(seed: Secret([UInt8](repeating: seed, count: 32))) else {
        preconditionFailure("libsodium is not usable")
    }
    return stream
}

/// A connection and a virtual agent with a clock that jumps from deadline to deadline, and a store that
/// remembers the persisted state. (A class, because the test macros copy the values that they inspect.)
final class Harness {
    var agent: VirtualAgent
    var connection: AgentConnection
    var now = Instant.zero
    var stored: JSON?
    /// Every action except posts and persists, in order.
    var seen: [AgentConnection.Action] = []
    /// The time of every post and the handshake state stored before it.
    var posts: [(time: Instant, stored: JSON?)] = []
    /// The mailbox's address, for a connection that has a mailbox.
    var mailbox = MailboxAddress(endpoint: "http://mailbox.test/", routingKeys: [])
    /// The length of the longest post in bytes.
    var longestPost = 0
    /// The HTTP status with which the agent's server refuses.
    var status = 400
    /// Overrides the agent's reply to the next posts.
    var replies: [VirtualAgent.Reply] = []
    /// The number of posts after which the harness stops.
    var maxPosts = Int.max
    /// The number of stored states and posts after which the process dies, right after the last of them;
    /// counted down.
    var steps = Int.max

    init(reception: AgentConnection.Reception = .returnRoute, rules: RequestRules = RequestRules()) throws {
        guard let agent = VirtualAgent(endpoint: "http://agent.test/", random: stream(1)) else {
            throw InvitationError.badKey
        }
        connection = try AgentConnection(
            id: "c", invitation: try Invitation(agent.invitation), reception: reception,
            configuration: .init(label: "kiosk", rules: rules), random: stream(2))
        self.agent = agent
    }

    /// Handles an event and carries out the resulting actions, until nothing is left to do at this time.
    func feed(_ event: AgentConnection.Event) {
        var events = [event]
        while !events.isEmpty, steps > 0, posts.count < maxPosts {
            for action in connection.handle(events.removeFirst(), at: now) where steps > 0 {
                switch action {
                case .persist(let snapshot):
                    stored = snapshot
                    steps -= 1
                case .needsAddress(let key): events.append(.address(mailbox, for: key))
                case .post(let id, _, let body):
                    posts.append((now, stored))
                    longestPost = max(longestPost, body.count)
                    steps -= 1
                    switch replies.isEmpty ? agent.handle(body, at: now) : replies.removeFirst() {
                    case .accepted(let answer): events.append(.answered(id, body: answer))
                    case .unreachable: events.append(.failed(id, .unreachable))
                    case .lost: events.append(.failed(id, .uncertain))
                    case .rejected: events.append(.failed(id, .refused(status: status)))
                    }
                default: seen.append(action)
                }
            }
        }
    }

    /// Advances the clock to `end`, from deadline to deadline.
    func run(until end: Instant) {
        while steps > 0, posts.count < maxPosts, let deadline = connection.deadline, deadline <= end {
            now = max(now, deadline)
            feed(.deadlineReached)
        }
        now = end
    }

    /// Ends the process and starts it again with the stored state.
    func restart(seed: UInt8 = 3, seen: [[UInt8]] = []) throws {
        guard let stored else { throw SnapshotError.malformed }
        steps = .max
        let text = stored.compactText  // through text, as a store keeps it
        connection = try AgentConnection(
            restoring: try JSON.parse(text), seen: seen, configuration: .init(label: "kiosk"), random: stream(seed))
        feed(.start)
    }

    /// Returns how many actions match.
    func count(_ matches: (AgentConnection.Action) -> Bool) -> Int { seen.count(where: matches) }

    /// The peer and its address.
    var peer: Peer? { connection.peer }

    /// When the connection wants to be called again.
    var deadline: Instant? { connection.deadline }

    /// Ids of the messages that the peer's server refused.
    var refused: [Text] { seen.compactMap { if case .refused(let id, _) = $0 { id } else { nil } } }

    /// Ids of the kiosk's pings that reached the peer, and of those that were answered.
    var pings: (sent: [Text], answered: [Text]) {
        (
            seen.compactMap { if case .pinged(let id) = $0 { id } else { nil } },
            seen.compactMap { if case .alive(let id) = $0 { id } else { nil } }
        )
    }

    /// Ids of the messages that were sent.
    var sent: [Text] { seen.compactMap { if case .sent(let id) = $0 { id } else { nil } } }
}

/// Returns a report with the given number.
func report(_ number: Int) -> OutboundMessage {
    OutboundMessage.basicMessage(
        id: Text("report-\(number)"), content: Text("{\"seq\":\(number)}"), time: "2026-01-02T03:04:05.678Z")
}
