import Aries
import DIDComm
import Encoding
import Simulation
import Testing

@testable import Mailboxes

/// A mailbox at a virtual agent, one connection to the same agent that uses this mailbox, a store, and a
/// clock that jumps from deadline to deadline: the work of the driver, in one loop.
final class MediatorHarness {
    var agent: VirtualAgent
    var mailbox: Mediator
    var connection: AgentConnection
    var now = Instant.zero
    /// The last stored state.
    private(set) var stored: (mailbox: JSON?, connection: JSON?)
    /// Keys of handled messages, stored with the connection.
    private(set) var handled: [[UInt8]] = []
    /// The connection's actions, except posts and persists.
    private(set) var seen: [AgentConnection.Action] = []
    private(set) var failures: [(failure: MailboxFailure, connection: Text?)] = []
    private(set) var closed: [Text] = []
    /// Messages that could not be read.
    private(set) var quarantine: [MailboxMessage] = []
    private(set) var handedOver = 0
    /// The number of posts of the mailbox.
    private(set) var posts = 0
    /// The number of stored states after which the process dies; counted down.
    var steps = Int.max
    /// The fate of the mailbox's posts.
    var network = Network.whole
    /// The request of the mailbox whose posts have the fate `withholding`.
    var withheld: Withheld?
    var withholding = Network.fails
    /// The results of posts that the harness delivers later, at `until`.
    private var held: [(until: Instant, event: MailboxEvent)] = []
    /// The times at which the mailbox reported a fault to the driver.
    private(set) var wrong: [Instant] = []
    /// Whether the mailbox becomes unreachable once the connection has posted.
    var holdsBackBehindRequest = false
    /// Set when the mailbox posts repeatedly without any pause.
    private(set) var neverRests = false
    private var hasPosted = false
    /// Whether messages are released at the mailbox.
    var releases = true
    private var random: UInt8 = 40

    static let configuration = Mediator.Configuration(
        connection: .init(label: "kiosk"), allowsPlainHTTP: true)

    /// The fate of the mailbox's posts.
    enum Network: Hashable, Sendable {
        /// They are answered.
        case whole
        /// They are accepted and not answered.
        case swallows
        /// They are answered with bytes that are not a message.
        case babbles
        /// They are accepted after this delay and not answered.
        case holds(Duration)
        /// They are answered with 5xx.
        case fails
    }

    /// A kind of request.
    enum Withheld: Sendable { case features, update, received }

    private enum Turn {
        case mailbox(MailboxEvent)
        case connection(AgentConnection.Event)
        /// A message, followed by its release.
        case mail(MailboxMessage)
    }

    init(hasPickup: Bool, configuration: Mediator.Configuration = configuration) throws {
        guard var agent = VirtualAgent(endpoint: "http://agent.test/", random: stream(1)),
            let mediation = VirtualMediation(seed: Secret([UInt8](repeating: 8, count: 32)), hasPickup: hasPickup)
        else { throw InvitationError.badKey }
        agent.mediation = mediation
        let invitation = try Invitation(agent.invitation)
        mailbox = try Mediator(id: "mailbox", invitation: invitation, configuration: configuration, random: stream(2))
        connection = try AgentConnection(
            id: "c", invitation: invitation, reception: .mailbox, configuration: .init(label: "kiosk"),
            random: stream(3))
        self.agent = agent
    }

    /// Starts the process, or restarts it with the stored state.
    func start() throws {
        random += 2
        if let snapshot = stored.mailbox {
            mailbox = try Mediator(
                restoring: try JSON.parse(snapshot.compactText), configuration: Self.configuration,
                random: stream(random))
        }
        if let snapshot = stored.connection {
            connection = try AgentConnection(
                restoring: try JSON.parse(snapshot.compactText), seen: handled, configuration: .init(label: "kiosk"),
                random: stream(random + 1))
        }
        var turns: [Turn] = [.mailbox(.start), .connection(.start)]
        if connection.address != nil { turns.append(.mailbox(.open(connection: "c", key: connection.keyPair))) }
        work(turns)
    }

    func feed(_ event: MailboxEvent) { work([.mailbox(event)]) }
    func feed(_ event: AgentConnection.Event) { work([.connection(event)]) }

    /// Works until nothing is left to do at this time, or until the process dies.
    private func work(_ first: [Turn]) {
        var turns = first
        let before = posts
        while !turns.isEmpty, steps > 0, !neverRests {
            neverRests = posts - before > 1000
            switch turns.removeFirst() {
            case .mailbox(let event): turns += perform(mailbox.handle(event, at: now))
            case .connection(let event): turns += perform(connection.handle(event, at: now), message: nil)
            case .mail(let message):
                let actions = connection.handle(.received(message.envelope), at: now)
                turns += perform(actions, message: message)
                let fresh = connection.takeSeen()
                if !fresh.isEmpty {
                    handled += fresh
                    keep(connection: connection.snapshot)
                }
                if steps > 0, releases { turns.append(.mailbox(.applied([message.uid]))) }
            }
        }
    }

    private func keep(mailbox snapshot: JSON) {
        stored.mailbox = snapshot
        steps -= 1
    }

    private func keep(connection snapshot: JSON) {
        stored.connection = snapshot
        steps -= 1
    }

    private func perform(_ actions: [MailboxAction]) -> [Turn] {
        var turns: [Turn] = []
        for action in actions where steps > 0 {
            switch action {
            case .persist(let snapshot): keep(mailbox: snapshot)
            case .post(let id, _, let body):
                posts += 1
                if let event = result(of: id, body) { turns.append(.mailbox(event)) }
            case .get(let id, _): turns.append(.mailbox(.failed(id, .forbidden)))
            case .address(let address, "c"): turns.append(.connection(.address(address, for: connection.verkey)))
            case .address: break
            case .failed(let failure, let name):
                failures.append((failure, name))
                wrong.append(now)
            case .closed(let name, _): closed.append(name)
            case .messages(let messages):
                handedOver += messages.count
                for message in messages {
                    if message.connection == "c" {
                        turns.append(.mail(message))
                    } else {
                        quarantine.append(message)
                        turns.append(.mailbox(.applied([message.uid])))
                    }
                }
            case .reachability(let failure): if failure != nil { wrong.append(now) }
            }
        }
        return turns
    }

    /// Whether the request under way is the withheld one.
    private var isWithheld: Bool {
        guard let question = mailbox.question, question.nudgeAt == nil else { return false }
        return switch (withheld, question.kind) {
        case (.features, .features), (.update, .update), (.received, .received): true
        default: false
        }
    }

    /// Returns the result of a post; nil if the harness delivers the result later.
    private func result(of id: AgentConnection.ExchangeID, _ body: [UInt8]) -> MailboxEvent? {
        switch isWithheld ? withholding : network {
        case .swallows: return .answered(id, body: [])
        case .babbles: return .answered(id, body: Array("{\"post\":\(posts)}".utf8))
        case .fails: return .rejected(id, status: 503, body: [])
        case .holds(let time):
            held.append((now.advanced(by: time), .answered(id, body: [])))
            return nil
        case .whole: break
        }
        switch holdsBackBehindRequest && hasPosted ? .unreachable : agent.handle(body, at: now) {
        case .accepted(let answer): return .answered(id, body: answer)
        case .unreachable: return .failed(id, .unreachable)
        case .lost: return .failed(id, .uncertain)
        case .rejected: return .failed(id, .refused(status: 400))
        }
    }

    private func perform(_ actions: [AgentConnection.Action], message: MailboxMessage?) -> [Turn] {
        var turns: [Turn] = []
        for action in actions where steps > 0 {
            switch action {
            case .persist(let snapshot):
                handled += connection.takeSeen()
                keep(connection: snapshot)
            case .needsAddress: turns.append(.mailbox(.open(connection: "c", key: connection.keyPair)))
            case .fetch: turns.append(.mailbox(.fetch))
            case .post(let id, _, let body):
                hasPosted = true
                switch agent.handle(body, at: now) {
                case .accepted(let answer): turns.append(.connection(.answered(id, body: answer)))
                case .unreachable: turns.append(.connection(.failed(id, .unreachable)))
                case .lost: turns.append(.connection(.failed(id, .uncertain)))
                case .rejected: turns.append(.connection(.failed(id, .refused(status: 400))))
                }
            case .discarded(let reason):
                if let message, reason != .duplicate { quarantine.append(message) }
                seen.append(action)
            default: seen.append(action)
            }
        }
        return turns
    }

    /// Advances the clock by `time`, from deadline to deadline.
    func run(for time: Duration) {
        let end = now.advanced(by: time)
        var turns = 0
        while steps > 0, !neverRests,
            let due = [mailbox.deadline, connection.deadline, held.first?.until].compactMap(\.self).min(), due <= end
        {
            turns += 1
            guard turns < 100_000 else {
                Issue.record("the clock stands still")
                return
            }
            now = max(now, due)
            if let first = held.first, first.until <= now { feed(held.removeFirst().event) }
            if let deadline = mailbox.deadline, deadline <= now { feed(MailboxEvent.deadlineReached) }
            if steps > 0, let deadline = connection.deadline, deadline <= now {
                feed(AgentConnection.Event.deadlineReached)
            }
        }
        now = end
    }

    /// Sends an unrequested message from the agent to the mailbox.
    func tellMailbox(_ name: Text, of protocolName: ProtocolName, _ members: [JSONObject.Member]) {
        let mediation = agent.mediation.take()
        agent.send(Message.make(MessageType(.didcomm, protocolName, name), id: Text("unasked \(posts)"), members))
        agent.mediation = mediation
    }

    /// The contents of the messages that arrived.
    var messages: [Text] { seen.compactMap { if case .message(_, let content) = $0 { content } else { nil } } }

    var isComplete: Bool { connection.isComplete }
    var address: MailboxAddress? { connection.address }
}
