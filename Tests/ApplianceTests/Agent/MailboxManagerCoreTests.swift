import Aries
import DIDComm
import Encoding
import Mailboxes
import Settings
import Testing

@testable import Courier

/// The decisions about the mailbox, played in virtual time.
@Suite struct MailboxManagerCoreTests {
    /// A driver whose store and servers answer as the test says.
    private final class World {
        var core: MailboxManagerCore
        var now = Instant.zero
        var isBroken = false
        /// The result of reading the invitation file.
        var content: Result<Invitation, ConnectFailure> = .failure(ConnectFailure("absent", remedy: "put it there"))
        /// The sponsor's token.
        var token: Result<ProvisionToken?, TokenSource.Failure> = .success(nil)
        /// The invitation by which a stored mailbox was reached.
        var invitation: Invitation?
        /// Whether a stored mailbox can be used.
        var isUsable = true
        /// The use of the stored mailbox.
        var use = MailboxManagerCore.Use.connected
        /// Whether the store cannot be read.
        var isUnread = false
        /// Whether a stored connection uses the mailbox.
        var isNeeded = false

        private(set) var actions: [String] = []
        private(set) var handed: [Text] = []
        private(set) var released: [Text] = []
        private(set) var quarantined: [Text] = []
        private(set) var fetches = 0
        private(set) var notices: [MailboxNotice] = []

        init(_ place: MailboxManagerCore.Place, longestTokenPause: Duration = .zero) {
            core = MailboxManagerCore(place, pause: .seconds(10), longestTokenPause: longestTokenPause)
        }

        func feed(_ event: MailboxManagerCore.Event) {
            var events = [event]
            while !events.isEmpty {
                for action in core.handle(events.removeFirst(), at: now) {
                    if let result = carryOut(action) { events.append(result) }
                }
            }
        }

        /// Loads the stored mailboxes and begins to run.
        func start(_ mailboxes: [Text] = [], refused: [Text] = []) {
            feed(.loaded(mailboxes: mailboxes, refused: refused))
            feed(.start)
        }

        func run(for time: Duration) {
            let end = now.advanced(by: time)
            while let deadline = core.deadline, deadline <= end {
                now = max(now, deadline)
                feed(.deadlineReached)
            }
            now = end
        }

        func news(_ news: MailboxNews) { feed(.news(news, of: core.mailbox?.id ?? "")) }

        private var failure: ConnectFailure? {
            isBroken ? ConnectFailure("the disk is full", remedy: "make room") : nil
        }

        private func carryOut(_ action: MailboxManagerCore.Action) -> MailboxManagerCore.Event? {
            switch action {
            case .takeUp where isUnread: return .notTakenUp(ConnectFailure("busy", remedy: "wait"))
            case .takeUp(let id):
                return isUsable
                    ? .tookUp(id, invitation: invitation, use: use) : .unusable(id, isOther: true)
            case .stop(let id): actions.append("stop \(id)")
            case .retire(let id):
                actions.append("retire \(id)")
                return .retired(id, failure)
            case .look: return .looked(.absent)
            case .read: return .read(content)
            case .connect(let invitation):
                return failure.map { .notMade($0) } ?? .made("box-\(invitation.id)", invitation: invitation)
            case .provision:
                actions.append("provision")
                return isUsable ? .made("agency", invitation: nil) : .notMade(nil)
            case .fetchToken:
                fetches += 1
                return .token(token)
            case .open(let id): actions.append("open \(id)")
            case .pass(.applied(let uids)): released += uids
            case .pass(.token): actions.append("token")
            case .pass(.close(let id)): actions.append("close \(id)")
            case .pass: break
            case .give(let address, let id): actions.append("give \(address.endpoint) to \(id)")
            case .refuse(let id): actions.append("refuse \(id)")
            case .hand(let message, let id): handed.append("\(message.uid) to \(id)")
            case .quarantine(let message, let reason):
                if failure == nil { quarantined.append("\(message.uid): \(reason)") }
                return .quarantined(message, reason: reason, failure)
            case .askNeed(let id): return .needed(id, isUnread ? nil : isNeeded)
            case .notice(let notice): notices.append(notice)
            }
            return nil
        }

        func has(_ matches: (MailboxNotice) -> Bool) -> Bool { notices.contains(where: matches) }
    }

    private let address = MailboxAddress(endpoint: "http://mailbox.test/", routingKeys: [])

    private func message(_ uid: Text, for connection: Text) -> MailboxMessage {
        MailboxMessage(uid: uid, connection: connection, envelope: [])
    }

    private func invitation(_ id: Text) throws -> Invitation {
        let keys = try #require(KeyPair(seed: Secret([UInt8](repeating: 1, count: 32))))
        return try Invitation([
            "@type": "https://didcomm.org/out-of-band/1.1/invitation", "@id": .string(id),
            "handshake_protocols": ["https://didcomm.org/didexchange/1.1"],
            "services": [
                [
                    "id": "#inline", "type": "did-communication", "recipientKeys": [.string(keys.verkey.didKey)],
                    "serviceEndpoint": "http://agent.test/",
                ]
            ],
        ])
    }

    // MARK: - Choice of the mailbox

    @Test func theNewestStoredMailboxIsUsedAndEarlierOnesAreRetired() {
        let world = World(.ownAgent)
        world.isBroken = true
        world.start(["old", "new"])
        #expect(world.core.mailbox?.id == "new" && world.actions == ["retire old"])
        #expect(!world.has { $0 == .stored })
        world.isBroken = false
        world.run(for: .seconds(10))
        #expect(world.actions == ["retire old", "retire old"], "what could not be stored is tried again")
        #expect(world.has { $0 == .stored })
        #expect(world.has { if case .replaced("old") = $0 { true } else { false } })
    }

    /// After a failed read of the store, the state of the mailbox is unknown, and the read is repeated.
    @Test func aMailboxThatCannotBeReadNowIsTakenUpLater() {
        let world = World(.ownAgent)
        world.isUnread = true
        world.feed(.loaded(mailboxes: ["box"], refused: []))
        #expect(!world.core.isLoaded && world.has { if case .storeFailed = $0 { true } else { false } })
        world.isUnread = false
        world.start(["box"])
        #expect(world.core.isLoaded && world.core.mailbox?.id == "box" && world.core.permits("a"))
        #expect(world.has { $0 == .stored })
        // The running mailbox reports a failure of its own, and its end.
        world.feed(.news(.storeFailed("broken"), of: "box"))
        world.feed(.news(.stored, of: "box"))
        let texts = world.notices.suffix(2)
        #expect(Array(texts) == [.storeFailed("broken"), .stored])
    }

    @Test func withoutAMailboxConnectionsKnowItAtOnce() {
        let world = World(.none)
        world.start(["left over"])
        #expect(world.core.isLoaded && world.core.mailbox == nil)
        world.feed(.open("c"))
        #expect(world.actions == ["give \(MailboxAddress.queue.endpoint) to c"])
    }

    /// A stored mailbox that cannot be used stays: no other one is made, and nothing is tried through it.
    @Test func anUnusableMailboxIsNotReplaced() {
        let world = World(.agency)
        world.isUsable = false
        world.start(["sealed"])
        world.run(for: .seconds(60))
        #expect(world.core.mailbox == nil && !world.core.permits("a"))
        #expect(world.has { if case .otherMailbox = $0 { true } else { false } })
        world.feed(.remove("sealed"))
        world.isUsable = true
        world.run(for: .seconds(10))
        #expect(world.core.mailbox?.id == "agency" && world.core.permits("a"))
    }

    /// The invitation to the mailbox is read until one can be used; another one replaces a mailbox that does not
    /// serve.
    @Test func theInvitationToTheMailboxIsTriedAgain() throws {
        let world = World(.invitation("file"))
        world.start()
        #expect(world.has { if case .invitationFailed = $0 { true } else { false } })
        (world.content, world.isBroken) = (.success(try invitation("one")), true)
        world.run(for: .seconds(10))
        #expect(world.core.mailbox == nil, "it could not be stored")
        world.isBroken = false
        world.run(for: .seconds(60))
        #expect(world.core.mailbox?.id == "box-one")
        world.run(for: .seconds(600))
        #expect(world.actions.isEmpty)
    }

    @Test func aMailboxThatNoConnectionUsesIsDropped() {
        for (isOpen, isNeeded) in [(true, false), (false, true), (false, false)] {
            let world = World(.ownAgent)
            world.start(["box"])
            world.isNeeded = isNeeded
            if isOpen { world.feed(.open("c")) }
            world.news(.closed(connection: "x", isComplete: true))
            let isDropped = !isOpen && !isNeeded
            #expect((world.core.mailbox == nil) == isDropped)
            #expect(world.actions.contains("retire box") == isDropped)
        }
    }

    /// A store that cannot be read says nothing about the need for the mailbox.
    @Test func theNeedForAMailboxIsAskedForAgain() {
        let world = World(.ownAgent)
        world.start(["box"])
        world.isUnread = true
        world.news(.closed(connection: "x", isComplete: true))
        #expect(world.core.mailbox?.id == "box")
        world.isUnread = false
        world.run(for: .seconds(10))
        #expect(world.core.mailbox == nil && world.actions.contains("retire box"))
    }

    /// The own agent's mailbox is not dropped before the first connection through it is stored, nor before the
    /// connection that leads to it delivers again, whether the service was started again meanwhile or not.
    @Test(arguments: [true, false]) func aMailboxIsHeldForItsConnection(isRestarted: Bool) throws {
        let granted = try invitation("a")
        let world = World(.ownAgent)
        func isKept() -> Bool {
            world.news(.closed(connection: "x", isComplete: true))
            world.feed(.drop)
            return world.core.mailbox?.id == "box"
        }
        (world.invitation, world.use) = (granted, .unused)
        world.start(isRestarted ? ["box"] : [])
        if !isRestarted { world.feed(.made("box", invitation: granted)) }
        #expect(world.core.isHeld && isKept())
        world.feed(.open("c"))
        #expect(world.core.isHeld && isKept())
        world.feed(.connected("c"))
        world.feed(.leave("c"))
        #expect(!world.core.isHeld)
        // The connection was not answered, and is deleted.
        _ = world.core.refuse("a")
        #expect(world.core.isHeld && isKept())
        world.feed(.released("box"))
        #expect(world.core.mailbox == nil && !world.actions.contains("retire box"))

        // The service was started again before the connection that leads to the mailbox delivered again.
        let next = World(.ownAgent)
        next.invitation = granted
        next.start(["box"], refused: ["a"])
        next.news(.closed(connection: "c", isComplete: true))
        #expect(next.core.isHeld && next.core.mailbox?.id == "box")
    }

    /// A connection through the own agent's mailbox that was deleted before it was connected leaves the mailbox to
    /// the connection that leads to it, which delivers again. No other one is tried by its invitation.
    @Test(arguments: [MailboxManagerCore.Use.unused, .tried, .connected])
    func theMailboxOfADeletedTrialIsHeld(use: MailboxManagerCore.Use) throws {
        for place in [MailboxManagerCore.Place.ownAgent, .invitation("file")] {
            let world = World(place)
            (world.invitation, world.use) = (try invitation("a"), use)
            world.start(["box"])
            let isOwn = if case .ownAgent = place { true } else { false }
            #expect(world.core.permits("a") == !(isOwn && use == .tried) && world.core.permits("b"))
            world.news(.closed(connection: "c", isComplete: true))
            #expect(world.actions.contains("retire box") == (isOwn && use == .connected))
        }
    }

    // MARK: - Connections

    @Test func eachMessageGoesToItsConnection() {
        let world = World(.ownAgent)
        world.start(["box"])
        world.feed(.open("a"))
        world.news(.address(address, for: "a"))
        world.news(.address(address, for: "b"))
        #expect(world.actions == ["open a", "give http://mailbox.test/ to a"])
        world.news(.messages([message("1", for: "a"), message("2", for: "b"), message("3", for: "")]))
        #expect(world.handed == ["1 to a"] && world.quarantined == ["3: unknown"] && world.released == ["3"])
        // The second connection starts in time.
        world.run(for: .seconds(59))
        world.feed(.open("b"))
        #expect(world.handed == ["1 to a", "2 to b"])
        world.feed(.applied(["1"]))
        world.feed(.close("b"))
        #expect(world.released == ["3", "1", "2"] && world.actions.last == "close b")
    }

    /// A message for a connection that never starts is quarantined after a minute, and released once it is durable.
    @Test func aMessageWaitsAMinuteForItsConnection() {
        let world = World(.ownAgent)
        world.start(["box"])
        world.news(.messages([message("1", for: "gone")]))
        world.run(for: .seconds(59))
        #expect(world.quarantined.isEmpty)
        world.isBroken = true
        world.run(for: .seconds(5))
        #expect(world.released.isEmpty)
        world.isBroken = false
        world.run(for: .seconds(10))
        #expect(world.quarantined == ["1: nobody"] && world.released == ["1"])
    }

    /// The reason of a quarantine that cannot be stored is kept.
    @Test func aQuarantineThatFailsKeepsItsReason() {
        let world = World(.ownAgent)
        world.start(["box"])
        world.isBroken = true
        world.news(.messages([message("1", for: "")]))
        world.run(for: .seconds(25))
        #expect(world.quarantined.isEmpty && world.released.isEmpty)
        world.isBroken = false
        world.run(for: .seconds(10))
        #expect(world.quarantined == ["1: unknown"] && world.released == ["1"])
    }

    // MARK: - Failures

    @Test func aFailureLastsUntilTheNextAddress() {
        let world = World(.ownAgent)
        world.start(["box"])
        world.news(.failed(.denied, for: nil))
        world.news(.reachability(nil))
        #expect(world.notices.count { if case .failed(.denied) = $0 { true } else { false } } == 2)
        world.news(.address(address, for: "a"))
        world.news(.reachability(nil))
        #expect(world.notices.count { if case .failed = $0 { true } else { false } } == 2)
        #expect(world.has { if case .serves = $0 { true } else { false } })
    }

    /// An agency that wants a token gets each token once, and the sponsor is asked with growing pauses.
    @Test func aTokenIsLookedForWhileTheAgencyWantsOne() throws {
        let world = World(.agency, longestTokenPause: .seconds(40))
        world.start()
        world.run(for: .seconds(60))
        #expect(world.actions == ["provision"] && world.fetches == 0)
        world.news(.failed(.needsToken, for: nil))
        world.run(for: .seconds(100))
        #expect((2...5).contains(world.fetches), "after 10, 20 and 40 s")
        let fetches = world.fetches
        world.news(.address(address, for: "a"))
        world.run(for: .seconds(100))
        #expect(world.fetches == fetches && !world.actions.contains("token"))
    }
}
