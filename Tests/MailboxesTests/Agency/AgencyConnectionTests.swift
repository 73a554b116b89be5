import Aries
import DIDComm
import Encoding
import Mailboxes
import Testing
import VirtualKit

/// A connection whose inviter answers only through an agency.
@Suite struct AgencyConnectionTests {
    @Test(arguments: AgencyDialect.allCases) func theInvitersAnswerArrivesByTheAgency(_ dialect: AgencyDialect) throws {
        let world = try AgencyWorld(dialect)
        world.start()
        world.run(for: .seconds(30))
        #expect(world.isComplete)
        world.inviter.send("one", to: &world.agency)
        world.inviter.send("two", to: &world.agency)
        world.run(for: .seconds(30))
        #expect(world.heard == ["one", "two"])
        #expect(world.agency.messages.allSatisfy { $0.status == "MS-106" })
        #expect(world.quarantine == 0)
    }

    @Test(arguments: AgencyDialect.allCases) func killedAfterEveryStoredState(_ dialect: AgencyDialect) throws {
        func scenario(_ killAt: Int) throws -> AgencyWorld {
            let world = try AgencyWorld(dialect)
            world.killAt = killAt
            world.start()
            for _ in 0..<20 where !world.isComplete { world.run(for: .seconds(30)) }
            world.inviter.send("one", to: &world.agency)
            world.run(for: .seconds(60))
            return world
        }
        let states = try scenario(.max).states
        #expect(states > 8)
        for state in 1...states {
            let world = try scenario(state)
            #expect(world.isComplete, "\(state)")
            #expect(world.heard == ["one"], "\(state)")
            #expect(world.agency.messages.allSatisfy { $0.status == "MS-106" }, "\(state)")
        }
    }

    @Test func aKeyWhoseAnswerIsLostIsNotTheConnections() throws {
        let world = try AgencyWorld(.evernym)
        world.losesAnswer = "CREATE_KEY"
        world.start()
        for _ in 0..<20 where !world.isComplete { world.run(for: .seconds(30)) }
        #expect(world.isComplete)
        #expect(world.agency.log.count { $0 == "CREATE_KEY" } == 3)  // lost, taken, and the next key
        world.inviter.send("one", to: &world.agency)
        world.run(for: .seconds(30))
        #expect(world.heard == ["one"])
    }

    @Test(arguments: AgencyDialect.allCases) func aLateAnswerToAnEarlierKeyCounts(_ dialect: AgencyDialect) throws {
        let earlierKeys = Duration.seconds(300)
        let world = try AgencyWorld(dialect) { $0.limits.earlierKeys = earlierKeys }
        world.inviter.isSlow = true
        world.start()
        for _ in 0..<40 where world.inviter.requests.count < 4 { world.run(for: .seconds(15)) }
        #expect(Set(world.inviter.requests.map(\.key)).count > 1)
        world.inviter.answerFirst(&world.agency)
        world.run(for: .seconds(60))
        #expect(world.isComplete)
        world.inviter.send("one", to: &world.agency)
        world.run(for: .seconds(60))
        #expect(world.heard == ["one"])
        // The inviter answered this key, so the connection uses it: it is not deleted with the unused keys.
        world.run(for: earlierKeys)
        world.inviter.send("two", to: &world.agency)
        world.run(for: .seconds(60))
        #expect(world.heard == ["one", "two"])
    }
}

/// An inviter that accepts posts and sends every answer to the address in the kiosk's DID document.
private struct AgencyInviter: ~Copyable {
    struct Request {
        let thread: Text
        let key: Verkey
        let service: Service
    }

    let keys: KeyPair
    let ours: KeyPair
    var requests: [Request] = []
    var isSlow = false
    private var peer: Request?
    private var random = stream(70)
    private var count = 0

    init() throws {
        guard let keys = KeyPair(seed: Secret([UInt8](repeating: 6, count: 32))),
            let ours = KeyPair(seed: Secret([UInt8](repeating: 5, count: 32)))
        else { throw InvitationError.badKey }
        (self.keys, self.ours) = (keys, ours)
    }

    var invitation: JSON {
        [
            "@type": "https://didcomm.org/out-of-band/1.1/invitation", "@id": "i",
            "handshake_protocols": ["https://didcomm.org/didexchange/1.1"],
            "services": [
                [
                    "id": "#inline", "type": "did-communication", "recipientKeys": [.string(keys.verkey.didKey)],
                    "serviceEndpoint": "http://inviter.test/",
                ]
            ],
        ]
    }

    mutating func take(_ body: [UInt8], _ agency: inout VirtualAgency) {
        guard let content = try? Envelope.unpack(body, with: [keys, ours]),
            let message = try? Message(plaintext: content.plaintext)
        else { return }
        if message.type.isMessage("trust_ping", 1, "ping") {
            leave(TrustPing.response(.didcomm, id: id(), thread: message.thread), from: ours, &agency)
        }
        guard message.type.isMessage("didexchange", 1, "request"),
            let document = message.body["did"]?.string.flatMap({ try? PeerDID.resolve($0) }),
            let service = document.services.first, let key = service.recipientKeys.first
        else { return }
        requests.append(Request(thread: message.id, key: key, service: service))
        if !isSlow { respond(to: requests[requests.count - 1], &agency) }
    }

    mutating func answerFirst(_ agency: inout VirtualAgency) { respond(to: requests[0], &agency) }

    private mutating func respond(to request: Request, _ agency: inout VirtualAgency) {
        peer = request
        let did = DIDExchange.did(
            for: ours.verkey, at: MailboxAddress(endpoint: "http://inviter.test/", routingKeys: []))
        let attachment = SignedAttachment.sign(Array(did.utf8), mediaType: "text/string", id: "a", by: keys)
        let response = Message.make(
            MessageType(.didcomm, ProtocolName("didexchange", 1, 1), "response"), id: id(), thread: request.thread,
            [.init("did", .string(did)), .init("did_rotate~attach", attachment)])
        leave(response, from: keys, &agency)
    }

    mutating func send(_ content: Text, to agency: inout VirtualAgency) {
        leave(BasicMessage.message(.didcomm, id: id(), content: content, sentTime: ""), from: ours, &agency)
    }

    private mutating func id() -> Text {
        count += 1
        return Text("m\(count)")
    }

    private mutating func leave(_ message: JSON, from sender: KeyPair, _ agency: inout VirtualAgency) {
        guard let peer else { return }
        let packed = Envelope.pack(message.compactBytes, to: [peer.key], from: sender, random: &random)
        let wrapped = try? Envelope.wrap(packed, to: peer.key, via: peer.service.routingKeys, random: &random)
        _ = wrapped.map { agency.handle($0.compactBytes) }
    }
}

/// A connection, its mailbox, the agency and the inviter, with a store and a clock that jumps: the work of a
/// driver, in one loop.
private final class AgencyWorld {
    var agency: VirtualAgency
    var inviter: AgencyInviter
    private var mailbox: AgencyMailbox
    private var connection: AgentConnection
    private let settings: AgencySettings
    private var now = Instant.zero
    private var stored: (mailbox: JSON?, connection: JSON?)
    private var handled: [[UInt8]] = []
    private var isDead = false
    /// The name of the request whose first answer is lost.
    var losesAnswer: Text?
    /// The number of the stored state after which the process dies, once.
    var killAt = Int.max
    private(set) var states = 0
    private(set) var heard: [Text] = []
    private(set) var quarantine = 0

    private enum Turn {
        case mailbox(MailboxEvent)
        case connection(AgentConnection.Event)
        case mail(MailboxMessage)
    }

    init(_ dialect: AgencyDialect, _ change: (inout AgencySettings) -> Void = { _ in }) throws {
        guard
            let agency = VirtualAgency(
                dialect, url: "https://agency.test", seed: Secret([UInt8](repeating: 3, count: 32)), random: stream(60))
        else { throw InvitationError.badKey }
        var settings = AgencySettings(dialect, url: "https://agency.test", agency: agency.party)
        change(&settings)
        self.settings = settings
        inviter = try AgencyInviter()
        guard let mailbox = AgencyMailbox(settings, random: stream(61)) else { throw InvitationError.badKey }
        connection = try AgentConnection(
            id: "c", invitation: try Invitation(inviter.invitation), reception: .mailbox,
            configuration: .init(label: "kiosk"), random: stream(62))
        self.mailbox = mailbox
        self.agency = agency
    }

    var isComplete: Bool { connection.isComplete }

    func start() {
        var turns: [Turn] = [.mailbox(.start), .connection(.start)]
        if connection.address != nil { turns.append(.mailbox(.open(connection: "c", key: connection.keyPair))) }
        work(turns)
    }

    func run(for time: Duration) {
        let end = now.advanced(by: time)
        while let deadline = [mailbox.deadline, connection.deadline].compactMap({ $0 }).min(), deadline <= end {
            now = max(now, deadline)
            var turns: [Turn] = []
            if let due = mailbox.deadline, due <= now { turns.append(.mailbox(.deadlineReached)) }
            if let due = connection.deadline, due <= now { turns.append(.connection(.deadlineReached)) }
            work(turns)
        }
        now = end
    }

    private func work(_ first: [Turn]) {
        var turns = first
        while !turns.isEmpty, !isDead {
            switch turns.removeFirst() {
            case .mailbox(let event): turns += perform(mailbox.handle(event, at: now))
            case .connection(let event): turns += perform(connection.handle(event, at: now))
            case .mail(let message):
                turns += perform(connection.handle(.received(message.envelope), at: now))
                let fresh = connection.takeSeen()
                if !fresh.isEmpty {
                    handled += fresh
                    stored.connection = connection.snapshot
                    store()
                }
                if !isDead { turns.append(.mailbox(.applied([message.uid]))) }
            }
        }
        if isDead { restart() }
    }

    private func store() {
        states += 1
        if states == killAt { isDead = true }
    }

    private func restart() {
        (isDead, killAt) = (false, .max)
        do {
            if let snapshot = stored.mailbox {
                mailbox = try AgencyMailbox(restoring: snapshot, settings, random: stream(64))
            } else if let fresh = AgencyMailbox(settings, random: stream(65)) {
                mailbox = fresh
            }
            if let snapshot = stored.connection {
                connection = try AgentConnection(
                    restoring: snapshot, seen: handled, configuration: .init(label: "kiosk"), random: stream(66))
            } else {
                connection = try AgentConnection(
                    id: "c", invitation: try Invitation(inviter.invitation), reception: .mailbox,
                    configuration: .init(label: "kiosk"), random: stream(67))
            }
        } catch {
            Issue.record("\(error)")
            return
        }
        start()
    }

    private func perform(_ actions: [MailboxAction]) -> [Turn] {
        var turns: [Turn] = []
        for action in actions where !isDead {
            switch action {
            case .persist(let snapshot):
                stored.mailbox = snapshot
                store()
            case .get(let id, _): turns.append(.mailbox(result(id, agency.information())))
            case .post(let id, _, let body):
                let answer = agency.handle(body)
                if let name = losesAnswer, agency.log.last == name {
                    losesAnswer = nil
                    turns.append(.mailbox(.failed(id, .uncertain)))
                } else {
                    turns.append(.mailbox(result(id, answer)))
                }
            case .address(let address, _): turns.append(.connection(.address(address, for: connection.verkey)))
            case .failed(.keyTaken, _): turns.append(.connection(.keyRefused(connection.verkey)))
            case .failed, .closed, .reachability: break
            case .messages(let messages): turns += messages.map { .mail($0) }
            }
        }
        return turns
    }

    private func result(_ id: AgentConnection.ExchangeID, _ answer: VirtualAgency.Answer) -> MailboxEvent {
        guard let status = answer.status else { return .failed(id, .uncertain) }
        return status == 200 ? .answered(id, body: answer.body) : .rejected(id, status: status, body: answer.body)
    }

    private func perform(_ actions: [AgentConnection.Action]) -> [Turn] {
        var turns: [Turn] = []
        for action in actions where !isDead {
            switch action {
            case .persist(let snapshot):
                stored.connection = snapshot
                store()
            case .post(let id, _, let body):
                inviter.take(body, &agency)
                turns.append(.connection(.answered(id, body: [])))
            case .needsAddress: turns.append(.mailbox(.open(connection: "c", key: connection.keyPair)))
            case .fetch: turns.append(.mailbox(.fetch))
            case .message(_, let content): heard.append(content)
            case .discarded(.unreadable): quarantine += 1
            default: break
            }
        }
        return turns
    }
}
