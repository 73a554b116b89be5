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
    private typealias World = LinkWorld

    private static let question = Message.make(
        MessageType(.didcomm, Question.name, "question"), id: "q", [.init("question_text", "open?")])

    private static func isGranted(_ world: World) -> Bool {
        if case .granted? = world.core.end { true } else { false }
    }

    private static func isEnded(_ world: World) -> Bool {
        if case .ended? = world.core.end { true } else { false }
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
        #expect(world.count { $0 == .stored } == 0)
        world.isStoreBroken = false
        world.run(for: .seconds(600))
        let isConnected = world.core.isConnected
        #expect(isConnected && world.count { $0 == .stored } == 1)
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

    /// The mailbox of a connection that uses one learns that it is connected, again at each start.
    @Test(arguments: [true, false]) func theMailboxLearnsOfTheConnection(usesMailbox: Bool) throws {
        let world = try World(usesMailbox ? .mailbox : .returnRoute)
        func reports() -> Int { world.trail.count { $0 == "connected" } }
        world.connect()
        let isConnected = world.core.isConnected
        #expect(isConnected && reports() == (usesMailbox ? 1 : 0))
        world.feed(.start(question: nil))
        #expect(reports() == (usesMailbox ? 2 : 0))
    }

    /// The mailbox counts as used only after the connected state was stored.
    @Test func aConnectionThatIsNotStoredIsNotReported() throws {
        let world = try World(.mailbox)
        world.isStoreBroken = true
        world.connect()
        #expect(!world.trail.contains("connected"))
        world.isStoreBroken = false
        world.run(for: .seconds(600))
        let isConnected = world.core.isConnected
        #expect(isConnected && world.trail.count { $0 == "connected" } == 1)
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

    /// A link that is cut off and runs again releases the messages that it received before.
    @Test func theNextRunReleasesTheMessagesOfALink() throws {
        let world = try World(.mailbox, delivers: false)
        world.connect()
        world.isStoreBroken = true
        world.agent.send(Self.question)
        let envelope = try #require(world.agent.posts.last?.body)
        world.feed(.mail(MailboxMessage(uid: "u1", connection: "c", envelope: envelope)))
        world.feed(.start(question: nil))
        world.feed(.mail(MailboxMessage(uid: "u2", connection: "c", envelope: Array("nonsense".utf8))))
        #expect(!world.trail.contains("release u1"))
        world.isStoreBroken = false
        world.run(for: .seconds(20))
        #expect(world.trail.contains("release u1") && world.trail.contains("release u2"))
    }

    /// An operator's answer is stored before it is sent. Its status in the message book is first waiting, then accepted
    /// or refused. The answer is sent only once.
    @Test(arguments: [nil, 400, 500] as [Int?]) func theResultOfAnAnswerIsStored(refusal: Int?) throws {
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

    /// A question that arrives together with the grant of a mailbox, in either order, is in the message book before the
    /// connection leads to the mailbox.
    @Test(arguments: [true, false], [true, false])
    func aQuestionIsKeptBeforeTheMailboxIsUsed(isFirst: Bool, isBroken: Bool) throws {
        let world = try World()
        world.count = 2
        world.connect()
        let envelope = try world.envelope(Self.question)
        let arrives: (World) -> Void = { $0.core.take(.ask(.received(envelope)), at: $0.now) }
        world.duringQuestion = isFirst ? arrives : nil
        world.afterQuestion = isFirst ? nil : arrives
        world.isStoreBroken = isBroken
        world.startWithGrant()
        world.run(for: .seconds(20))
        #expect(Self.isGranted(world) == !isBroken && world.book.isEmpty == isBroken)
        world.isStoreBroken = false
        world.run(for: .seconds(20))
        #expect(Self.isGranted(world) && world.book.map(\.uid) == ["q"] && world.spins == 0)
    }

    /// An operator's answer that was taken before the grant of a mailbox is sent over the connection, which carries no
    /// answer later. An agent that does not take the answer holds up the mailbox for a limited time only.
    @Test(arguments: [nil, 500] as [Int?]) func anAnswerIsSentBeforeTheMailboxIsUsed(refusal: Int?) throws {
        let world = try World()
        world.connect()
        let question = try Message(plaintext: Self.question.compactBytes)
        world.duringQuestion = { world in
            let respond = AgentConnection.Event.respond(
                question, name: "u1", response: "yes", at: Timestamp(seconds: 1))
            world.core.take(.ask(respond), at: world.now)
        }
        world.afterQuestion = { $0.refusal = refusal }
        world.startWithGrant()
        world.count = 1
        world.feed(.wake)
        world.run(for: .seconds(20))
        #expect(Self.isGranted(world) == (refusal == nil))
        let isTaken = world.core.answer(question, "u2", "yes", date: Timestamp(seconds: 1))
        #expect(!isTaken, "it would not be sent")
        world.run(for: .seconds(20))
        #expect(Self.isGranted(world) && world.spins == 0)
        #expect(world.agent.others.contains { $0["response"] == "yes" } == (refusal == nil))
        #expect(world.fates.count == 2 && world.fates.first == "u1: pending its answer waits to be sent")
        let fate = refusal == nil ? "u1: accepted answered: yes" : "u1: rejected not answered"
        #expect(world.fates.last?.hasPrefix(fate) == true && world.stored?["owed"]?.array == nil)
        #expect(world.agent.received.isEmpty, "no delivery begins after the grant")
    }

    /// A link rests whether a mailbox is granted or not, an answer waits or not, and the disk fails or not, also
    /// after the time limit of the grant. It ends once its messages are stored.
    @Test(arguments: [true, false], [[true, false], [true, true], [false, false], [false, true]])
    func aLinkRestsWhileTheDiskFails(isBroken: Bool, grant: [Bool]) throws {
        let (isGranted, waits) = (grant[0], grant[1])
        let world = try World()
        world.connect()
        let envelope = try world.envelope(Self.question)
        let fails: (World) -> Void = { world in
            world.core.take(.ask(.received(envelope)), at: world.now)
            if waits { world.core.take(.ask(.tell(code: "door.forced", explanation: "open")), at: world.now) }
            (world.isStoreBroken, world.agent.isUp) = (isBroken, !waits)
        }
        if isGranted {
            world.afterQuestion = fails
            world.startWithGrant()
        } else {
            fails(world)
            world.feed(.wake)
        }
        world.run(for: .seconds(120))
        #expect(world.spins == 0 && world.book.isEmpty == isBroken)
        (world.isStoreBroken, world.agent.isUp) = (false, true)
        world.run(for: .seconds(120))
        #expect(world.spins == 0 && world.book.map(\.uid) == ["q"] && Self.isGranted(world) == isGranted)
    }

    // MARK: - The question for a mailbox

    /// The requests of an invitation that were taken before the grant of a mailbox are answered over the connection.
    @Test func requestsAreAnsweredBeforeTheMailboxIsUsed() throws {
        let world = try World()
        world.connect()
        var json = try #require(world.agent.invitation.object)
        json["requests~attach"] = [
            ["@id": "a", "data": ["json": ["@type": "https://didcomm.org/trust_ping/1.0/ping", "@id": "P"]]]
        ]
        let asking = try Invitation(.object(json))
        var isTaken: Bool?
        world.duringQuestion = { world in
            if isTaken == nil { isTaken = world.core.answer(asking) }
        }
        world.startWithGrant()
        world.run(for: .seconds(20))
        #expect(isTaken == true && Self.isGranted(world) && world.spins == 0)
        #expect(world.agent.others.contains { $0["~thread"]?["thid"] == "P" })
    }

    /// A connection that is about to lead to a mailbox takes no requests of an invitation: it would not answer them.
    @Test func aConnectionThatLeadsToAMailboxTakesNoRequests() throws {
        let world = try World()
        world.connect()
        let invitation = try Invitation(world.agent.invitation)
        let before = world.core.answer(invitation)
        world.startWithGrant()
        world.run(for: .seconds(20))
        let after = world.core.answer(invitation)
        let isOpen = world.core.isOpen
        #expect(before && !after && !isOpen && Self.isGranted(world))
    }

    /// A server that never accepts the question for a mailbox holds up the reports for a limited time only. The
    /// question is asked again a day later.
    @Test(arguments: [400, 404, 429, 500]) func aQuestionThatIsNotAcceptedEnds(status: Int) throws {
        let world = try World()
        world.connect()
        (world.duringQuestion, world.afterQuestion) = ({ $0.refusal = status }, { $0.refusal = nil })
        world.startWithGrant()
        world.count = 3
        world.feed(.wake)
        world.run(for: .seconds(120))
        #expect(world.confirmed == 3 && world.spins == 0)
        #expect(world.count { if case .mailboxDenied = $0 { true } else { false } } == 1)
        #expect(world.asks.last == false)
        (world.duringQuestion, world.afterQuestion) = (nil, nil)
        world.run(for: MediationQuestion.pause)
        #expect(Self.isGranted(world) && world.asks.suffix(2) == [false, true] && world.spins == 0)
    }

    /// A network that is down says nothing about the agent: the question waits for it.
    @Test func theQuestionWaitsForTheNetwork() throws {
        let world = try World()
        world.connect()
        let back = world.now.advanced(by: .seconds(300))
        world.duringQuestion = { $0.agent.isUp = $0.now >= back }
        world.startWithGrant()
        world.run(for: .seconds(1800))
        #expect(Self.isGranted(world) && world.spins == 0)
        #expect(world.count { if case .mailboxDenied = $0 { true } else { false } } == 0)
    }

    /// The end of a connection is stored before its link ends. Meanwhile the link rests.
    @Test func aHangupIsKeptBeforeTheLinkEnds() throws {
        let world = try World()
        world.count = 3
        world.connect()
        let hangup = try world.envelope(
            Message.make(MessageType(.didcomm, DIDRotation.name, "hangup"), id: "h"))
        world.isStoreBroken = true
        world.count = 4
        world.feed(.wake)
        world.feed(.ask(.received(hangup)))
        world.run(for: .seconds(60))
        #expect(!Self.isEnded(world) && world.book.isEmpty && world.spins == 0)
        world.isStoreBroken = false
        world.run(for: .seconds(20))
        #expect(Self.isEnded(world) && world.book.map(\.uid) == ["h"] && world.spins == 0)
        world.feed(.retryNow)
        #expect(Self.isEnded(world), "an end is final")
    }

    @Test func aStoppedLinkStoresNothing() throws {
        let world = try World()
        world.core.stop()
        world.feed(.start(question: nil))
        world.run(for: .seconds(60))
        #expect(world.posts == 0 && world.trail.isEmpty)
    }
}
