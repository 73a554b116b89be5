import Aries
import DIDComm
import Encoding
import Ledger
import Mailboxes
import Simulation
import Store
import Testing

@testable import Courier

/// The decisions of a link, played in virtual time against a virtual agent.
@Suite struct LinkCoreTests {
    /// A driver with a ledger, a store and a network that can fail, and a clock that jumps from deadline to deadline.
    private final class World {
        var core: LinkCore
        var agent: VirtualAgent
        var now = Instant.zero
        var isStoreBroken = false
        /// Whether no confirmation can be stored.
        var isLedgerBroken = false
        /// Whether a newer connection is the active one.
        var isReplaced = false
        /// The number of entries of the ledger. Each has a report.
        var count = 0

        private(set) var confirmed = 0
        private(set) var posts = 0
        private(set) var notices: [AgentNotice] = []
        private(set) var quarantined: [Text] = []
        private(set) var book: [MessageEntry] = []
        /// What became of answers, and the state that was stored last.
        private(set) var fates: [String] = []
        private(set) var stored: JSON?
        /// The status with which the agent's server refuses everything.
        var refusal: Int?
        /// What was done for the mailbox and the store, in order.
        private(set) var trail: [String] = []
        /// How often the core was asked at one instant without anything to do.
        private(set) var spins = 0

        init(_ reception: AgentConnection.Reception = .returnRoute, delivers: Bool = true) throws {
            guard let agent = VirtualAgent(endpoint: "http://agent.test/", random: freshStream()) else {
                throw InvitationError.badKey
            }
            let connection = try AgentConnection(
                id: "c", invitation: try Invitation(agent.invitation), reception: reception,
                configuration: .init(label: "kiosk"), random: freshStream())
            self.agent = agent
            var policy = LinkCore.Policy(delivers: delivers)
            policy.reports.limits.pingAfter = .milliseconds(2)
            core = LinkCore(connection, policy)
        }

        private static let ledger: Text = "ledger"

        private func point(_ position: Int) -> ReportPoint {
            ReportPoint(
                ledger: Self.ledger, position: position, hash: [UInt8](repeating: UInt8(position % 256), count: 32))
        }

        /// Events that arrive during the next posts, one during each.
        var arriving: [LinkCore.Event] = []
        /// The number of entries at which the ledger stops to grow by one with each post.
        var growth = 0

        func feed(_ event: LinkCore.Event) {
            core.take(event, at: now)
            settle()
        }

        /// Carries out what is due now.
        private func settle() {
            while true {
                let actions = core.decide(at: now, date: Timestamp(seconds: 1))
                for action in actions {
                    if let result = carryOut(action) { core.take(result, at: now) }
                }
                if actions.isEmpty { return }
            }
        }

        func run(for time: Duration) {
            let end = now.advanced(by: time)
            while let deadline = core.deadline, deadline <= end {
                if deadline <= now { spins += 1 }
                guard spins < 100 else { return }
                now = max(now, deadline)
                settle()
            }
            now = end
        }

        private var storeFailure: LinkCore.StoreFailure? { isStoreBroken ? .init(CancellationError()) : nil }

        private func carryOut(_ action: LinkCore.Action) -> LinkCore.Event? {
            switch action {
            case .keep(let snapshot, _, let messages, let answers):
                if storeFailure == nil {
                    trail.append("keep")
                    stored = snapshot
                    book += messages
                    fates += answers.map { "\($0.uid): \($0.status) \($0.result)" }
                }
                return .kept(storeFailure)
            case .post(let id, _, let body):
                posts += 1
                if !arriving.isEmpty { core.take(arriving.removeFirst(), at: now) }
                if count < growth {
                    count += 1
                    core.take(.wake, at: now)
                }
                trail.append("post")
                defer { if agent.others.last.map(isProblem) == true { trail.append("problem") } }
                return post(id, body)
            case .open: return .ask(.address(MailboxAddress(endpoint: "http://mail.test/", routingKeys: []), for: key))
            case .applied(let uids): trail += uids.map { "release \($0)" }
            case .takeOver:
                let state = OutboxState(end: point(count), confirmed: confirmed)
                return .tookOver(.success(isReplaced ? nil : state))
            case .lookAtEnd: return .end(.success(end))
            case .examine(let answer, _):
                let found: (LinkCore.LedgerEnd, isSigned: Bool)? = end.map { ($0, isSigned: false) }
                return .examined(answer, .success(found))
            case .read(_, let position, let limit, _, _):
                let entries = (position..<min(count, position + limit)).map { entry($0 + 1) }
                return .entries(.success(isReplaced ? nil : entries))
            case .readHash(_, let position): return .hash(.success(point(position).hash), at: position)
            case .confirm(let confirmation, _):
                guard !isLedgerBroken else { return .confirmed(.failure(.init(CancellationError()))) }
                confirmed = confirmation.point.position
                return .confirmed(.success([]))
            case .quarantine(let message, _):
                if storeFailure == nil { quarantined.append(message.uid) }
                return .quarantined(storeFailure)
            case .giveUp: return .gaveUp(nil)
            case .notice(let notice): notices.append(notice)
            case .fetch, .reused, .asksForMailbox, .unsent: break
            }
            return nil
        }

        private func isProblem(_ message: JSON) -> Bool {
            message["@type"]?.string?.hasSuffix("problem-report") == true
        }

        private var key: Verkey { core.connection.verkey }
        private var end: LinkCore.LedgerEnd? { isReplaced ? nil : .init(point: point(count), isUrgent: false) }

        private func entry(_ position: Int) -> ReportEntry {
            ReportEntry(
                position: position, hash: point(position).hash, body: Array("{}".utf8),
                report: ["id": .text("report-\(position)"), "seq": .int(position)])
        }

        private func post(_ id: AgentConnection.ExchangeID, _ body: [UInt8]) -> LinkCore.Event {
            if let refusal { return .failed(id, .refused(status: refusal)) }
            return switch agent.handle(body, at: now) {
            case .accepted(let answer): .answered(id, body: answer)
            case .unreachable: .failed(id, .unreachable)
            case .lost: .failed(id, .uncertain)
            case .rejected: .failed(id, .refused(status: 400))
            }
        }

        func count(_ matches: (AgentNotice) -> Bool) -> Int { notices.count(where: matches) }
        var failures: Int { count { if case .storeFailed = $0 { true } else { false } } }
    }

    @Test func itConnectsAndDelivers() throws {
        let world = try World()
        world.count = 3
        world.feed(.start(question: nil))
        world.run(for: .seconds(30))
        #expect(world.confirmed == 3 && world.agent.received.count == 3)
        world.count = 5
        world.feed(.wake)
        world.run(for: .seconds(30))
        #expect(world.confirmed == 5 && world.agent.received.count == 5 && world.spins == 0)
    }

    /// While reports wait, a message to the agent and one from the mailbox have their turns.
    @Test func aBacklogHoldsUpNothingElse() throws {
        let world = try World(.mailbox)
        world.feed(.start(question: nil))
        world.run(for: .seconds(60))
        world.agent.send(
            Message.make(
                MessageType(.didcomm, Question.name, "question"), id: "q", [.init("question_text", "open?")]))
        let envelope = try #require(world.agent.posts.last?.body)
        world.arriving = [
            .mail(MailboxMessage(uid: "u1", connection: "c", envelope: envelope)),
            .ask(.tell(code: "door.forced", explanation: "the door is open")),
        ]
        (world.count, world.growth) = (1, 100)
        world.feed(.wake)
        world.run(for: .seconds(60))
        #expect(world.confirmed == 100 && world.agent.received.count == 100)
        let release = try #require(world.trail.firstIndex(of: "release u1"))
        let report = try #require(world.trail.firstIndex(of: "problem"))
        #expect(world.trail[..<max(release, report)].count { $0 == "post" } < 20, "\(world.trail)")
    }

    @Test func nothingIsSentWhileTheStoreIsBroken() throws {
        let world = try World()
        world.isStoreBroken = true
        world.feed(.start(question: nil))
        world.run(for: .seconds(60))
        #expect(world.posts == 0 && world.failures > 0)
        world.isStoreBroken = false
        world.run(for: .seconds(600))
        let isConnected = world.core.isConnected
        #expect(isConnected)
    }

    /// A confirmation that cannot be stored is stored later, and is not asked for again. Meanwhile the link rests.
    @Test func aConfirmationThatCannotBeKeptIsKeptLater() throws {
        let world = try World()
        world.feed(.start(question: nil))
        world.run(for: .seconds(30))
        world.count = 2
        world.feed(.wake)
        world.isLedgerBroken = true
        world.run(for: .seconds(30))
        #expect(world.confirmed == 0 && world.failures > 0 && world.spins == 0)
        world.isLedgerBroken = false
        world.run(for: .seconds(60))
        #expect(world.confirmed == 2 && world.agent.received.count == 2)
        #expect(world.agent.repetitions == 0)
    }

    @Test func aReplacedConnectionEnds() throws {
        let world = try World()
        world.feed(.start(question: nil))
        world.run(for: .seconds(30))
        world.isReplaced = true
        world.feed(.wake)
        world.run(for: .seconds(1))
        let hasEnded = if case .retired? = world.core.end { true } else { false }
        let deadline = world.core.deadline
        #expect(hasEnded && deadline == nil)
        #expect(world.count { if case .retired = $0 { true } else { false } } == 1)
    }

    /// A message is released once its effect and its entry in the message book are durable; one that cannot be read,
    /// once it is in quarantine.
    @Test func aMessageIsReleasedWhenItIsDurable() throws {
        let world = try World(.mailbox, delivers: false)
        world.feed(.start(question: nil))
        world.run(for: .seconds(60))
        let isConnected = world.core.isConnected
        #expect(isConnected)
        world.isStoreBroken = true
        world.agent.send(
            Message.make(
                MessageType(.didcomm, Question.name, "question"), id: "q", [.init("question_text", "open?")]))
        let envelope = try #require(world.agent.posts.last?.body)
        world.feed(.mail(MailboxMessage(uid: "u1", connection: "c", envelope: envelope)))
        world.feed(.mail(MailboxMessage(uid: "u2", connection: "c", envelope: Array("nonsense".utf8))))
        world.run(for: .seconds(20))
        #expect(!world.trail.contains("release u1") && world.book.isEmpty && world.quarantined.isEmpty)
        world.isStoreBroken = false
        world.run(for: .seconds(20))
        #expect(world.trail.contains("release u1") && world.trail.contains("release u2"))
        #expect(world.book.map(\.uid) == ["u1"] && world.book.first?.status == .pending)
        #expect(world.quarantined == ["u2"])
    }

    /// An operator's answer is stored before it is sent. The book says that it waits, and then that it was accepted or
    /// refused. It is taken once.
    @Test(arguments: [nil, 400, 500] as [Int?]) func whatBecameOfAnAnswerIsStored(refusal: Int?) throws {
        let world = try World(delivers: false)
        world.feed(.start(question: nil))
        world.run(for: .seconds(60))
        let question = try Message(
            plaintext: Message.make(
                MessageType(.didcomm, Question.name, "question"), id: "q", [.init("question_text", "open?")]
            ).compactBytes)
        func answer(_ response: Text) -> Bool {
            let isTaken = world.core.answer(question, "u1", response, date: Timestamp(seconds: 1))
            world.feed(.wake)
            return isTaken
        }
        world.isStoreBroken = true
        let (first, second) = (answer("yes"), answer("no"))
        world.run(for: .seconds(20))
        #expect(first && !second && world.fates.isEmpty && world.agent.others.allSatisfy { $0["response"] == nil })
        (world.isStoreBroken, world.refusal) = (false, refusal)
        world.run(for: .seconds(60))
        let waits = "u1: pending its answer waits to be sent"
        switch refusal {
        case nil:
            #expect(world.fates == [waits, "u1: accepted answered: yes"])
            #expect(world.agent.others.last?["response"] == "yes")
        case 400?:
            #expect(world.fates.count == 2 && world.fates.last?.hasPrefix("u1: rejected not answered") == true)
        default:
            #expect(world.fates == [waits], "a server that fails may accept it later")
        }
        let third = answer("yes")
        #expect(!third && world.stored?["owed"]?.array?.count == (refusal == 500 ? 1 : nil))
    }

    @Test func aStoppedLinkStoresNothing() throws {
        let world = try World()
        world.core.stop()
        world.feed(.start(question: nil))
        world.run(for: .seconds(60))
        #expect(world.posts == 0 && world.trail.isEmpty)
    }
}
