import Aries
import DIDComm
import Encoding
import Mailboxes
import Simulation
import Testing

@Suite struct MediatorTests {
    @Test(arguments: [false, true]) func aConnectionIsReachedThroughTheMailbox(hasPickup: Bool) throws {
        let harness = try MediatorHarness(hasPickup: hasPickup)
        try harness.start()
        harness.run(for: .seconds(5))
        #expect(harness.isComplete)
        #expect(harness.address?.endpoint == "http://agent.test/" && harness.address?.routingKeys.count == 1)
        #expect(harness.agent.mediation?.updates.count == 1)
        for number in 0..<40 { harness.agent.send(content: Text("message \(number)")) }
        harness.run(for: .seconds(60))
        #expect(harness.messages == (0..<40).map { Text("message \($0)") })
        #expect(harness.agent.mediation?.waiting == 0 && harness.quarantine.isEmpty && harness.failures.isEmpty)
        // A message that the agent sends while nothing else happens arrives within the polling pause.
        harness.run(for: .seconds(600))
        harness.agent.send(
            Message.make(MessageType(.didcomm, ProtocolName("did-rotate", 1, 0), "hangup"), id: "bye"))
        harness.run(for: .seconds(21))
        #expect(harness.seen.contains(.ended))
    }

    /// The agent answers to the address in the kiosk's document, and never in the response to a post.
    @Test(arguments: [false, true]) func answersComeByTheMailboxToo(hasPickup: Bool) throws {
        let harness = try MediatorHarness(hasPickup: hasPickup)
        harness.agent.answersByMailbox = true
        try harness.start()
        harness.run(for: .seconds(10))
        #expect(harness.isComplete)
        let alive = harness.seen.contains { if case .alive = $0 { true } else { false } }
        #expect(alive, "the answer to the first ping was fetched")
    }

    /// The mailbox is unreachable for as long as an answer may take. The connection starts a new attempt with
    /// another key and then still receives the answer to the first attempt.
    @Test(arguments: [false, true]) func anAnswerToAnEarlierAttemptCounts(isRestarted: Bool) throws {
        let harness = try MediatorHarness(hasPickup: true)
        harness.agent.answersByMailbox = true
        harness.holdsBackBehindRequest = true
        let key = harness.connection.verkey
        try harness.start()
        harness.run(for: .seconds(70))
        #expect((harness.connection.verkey == key) == false)
        if isRestarted { try harness.start() }
        harness.holdsBackBehindRequest = false
        harness.run(for: .seconds(900))
        #expect(harness.isComplete && (harness.connection.verkey == key))
    }

    @Test func aDenialIsReportedAndCheckedAgainADayLater() throws {
        for manner in [VirtualMediation.Manner.denies, .keepsSilent] {
            let harness = try MediatorHarness(hasPickup: false)
            harness.agent.mediation?.manner = manner
            try harness.start()
            harness.run(for: .seconds(60))
            #expect(harness.failures.map(\.failure) == [.denied])
            #expect(!harness.isComplete && harness.address == nil)
            harness.agent.mediation?.manner = .grants
            harness.run(for: .seconds(80_000))
            #expect(!harness.isComplete)
            harness.run(for: .seconds(8_000))
            #expect(harness.isComplete)
        }
    }

    @Test func anAgentWithoutMailboxesDenies() throws {
        let harness = try MediatorHarness(hasPickup: false)
        harness.agent.mediation = nil
        try harness.start()
        harness.run(for: .seconds(5))
        #expect(harness.failures.map(\.failure) == [.denied])
    }

    @Test func aClosedConnectionIsForgottenAtTheMediator() throws {
        let harness = try MediatorHarness(hasPickup: false)
        try harness.start()
        harness.run(for: .seconds(5))
        harness.feed(.close(connection: "c"))
        #expect(harness.closed == ["c"])
        #expect(harness.agent.mediation?.owners.isEmpty == true)
        #expect(harness.agent.mediation?.updates.map { $0.hasPrefix("remove") } == [false, true])
    }

    @Test func aRestartSendsTheKeysAgain() throws {
        let harness = try MediatorHarness(hasPickup: true)
        try harness.start()
        harness.run(for: .seconds(5))
        try harness.start()
        harness.run(for: .seconds(5))
        #expect(harness.agent.mediation?.updates.count == 2 && harness.agent.mediation?.owners.count == 1)
        harness.agent.send(content: "still there")
        harness.run(for: .seconds(25))
        #expect(harness.messages == ["still there"])
    }

    /// The process dies after each stored state in turn: the same messages arrive, once each.
    @Test(arguments: [false, true]) func deathAtAnyStoredStateChangesNothing(hasPickup: Bool) throws {
        var (step, isWhole) = (1, false)
        while !isWhole {
            try #require(step < 100, "a life that never ends")
            let harness = try MediatorHarness(hasPickup: hasPickup)
            harness.steps = step
            try harness.start()
            harness.run(for: .seconds(120))
            if harness.steps > 0 {
                for number in 0..<5 { harness.agent.send(content: Text("message \(number)")) }
                harness.run(for: .seconds(120))
            }
            isWhole = harness.steps > 0
            if !isWhole {
                harness.steps = .max
                try harness.start()
                harness.run(for: .seconds(120))
                let sent = harness.agent.mediation?.owners.isEmpty == false
                #expect(sent, "step \(step)")
                if harness.messages.isEmpty {
                    for number in 0..<5 { harness.agent.send(content: Text("message \(number)")) }
                }
                harness.run(for: .seconds(120))
            }
            #expect(harness.isComplete, "step \(step)")
            // Without pickup, a message that was in flight when the process died is lost, because the
            // mediator does not send it again.
            let expected = (0..<5).map { Text("message \($0)") }
            if hasPickup || isWhole {
                #expect(harness.messages == expected, "step \(step)")
            } else {
                #expect(harness.messages.count >= 4 && Set(harness.messages).count == harness.messages.count)
            }
            step += 1
        }
        #expect(step > 8)
    }

    @Test func unreleasedMessagesComeAgainAndAreRecognised() throws {
        let harness = try MediatorHarness(hasPickup: true)
        try harness.start()
        harness.run(for: .seconds(5))
        harness.agent.mediation?.forgets = 1
        harness.agent.mediation?.isConfused = true
        for number in 0..<5 { harness.agent.send(content: Text("message \(number)")) }
        harness.run(for: .seconds(120))
        #expect(Set(harness.messages) == Set((0..<5).map { Text("message \($0)") }) && harness.messages.count == 5)
        #expect(harness.agent.mediation?.waiting == 0)
        // The process died between the commit and the release.
        harness.releases = false
        harness.agent.send(content: "again")
        harness.run(for: .seconds(30))
        harness.releases = true
        try harness.start()
        harness.run(for: .seconds(60))
        #expect(harness.messages.filter { $0 == "again" }.count == 1)
        #expect(harness.agent.mediation?.waiting == 0)
    }

    @Test(arguments: [false, true]) func unreadableMessagesAreReleasedAsWell(hasPickup: Bool) throws {
        let harness = try MediatorHarness(hasPickup: hasPickup)
        try harness.start()
        harness.run(for: .seconds(5))
        harness.agent.mediation?.leave(Array("{}".utf8))
        harness.agent.mediation?.leave([0xFF])
        harness.agent.send(content: "behind them")
        harness.run(for: .seconds(60))
        #expect(harness.messages == ["behind them"])
        #expect(harness.quarantine.count == 2 && harness.agent.mediation?.waiting == 0)
    }

    // MARK: - Hostile mediators

    private static let grants: [JSON] = [
        ["endpoint": "ftp://a.test/"], ["endpoint": "http://user:secret@a.test/"], ["endpoint": "http://@a.test/"],
        ["endpoint": "http:///path"], ["endpoint": "http://:80/"], ["endpoint": "http://a.test/ b"],
        ["endpoint": "http://a.test/#part"], ["endpoint": "http://a.test\\@b.test/"], ["endpoint": "http://ä.test/"],
        ["endpoint": "didcomm:transport/queue"], ["endpoint": "file:///etc/passwd"], ["endpoint": 7], [:],
        ["endpoint": .text("http://a.test/" + String(repeating: "a", count: 3000))],
        ["endpoint": "http://a.test/", "routing_keys": ["x"]],
        ["endpoint": "http://a.test/", "routing_keys": "x"],
        [
            "endpoint": "http://a.test/",
            "routing_keys": .array([JSON](repeating: "8HH5gYEeNc3z7PYXmd54d4x6qAfCNrqQqEB3nS7Zfu7K", count: 9)),
        ],
    ]

    @Test(arguments: grants.indices) func anAddressThatCannotBeUsedIsRefused(index: Int) throws {
        let harness = try MediatorHarness(hasPickup: false)
        harness.agent.mediation?.grant = Self.grants[index]
        try harness.start()
        harness.run(for: .seconds(60))
        #expect(harness.failures.map(\.failure) == [.badAddress])
        #expect(harness.address == nil)
    }

    @Test func plainHTTPNeedsPermission() throws {
        var configuration = MediatorHarness.configuration
        configuration.allowsPlainHTTP = false
        let harness = try MediatorHarness(hasPickup: false, configuration: configuration)
        try harness.start()
        harness.run(for: .seconds(60))
        #expect(harness.failures.map(\.failure) == [.badAddress])
    }

    @Test func tenThousandMessagesInADeliveryAreRefused() throws {
        let harness = try MediatorHarness(hasPickup: true)
        try harness.start()
        harness.run(for: .seconds(5))
        harness.agent.mediation?.deliverySize = 10_000
        harness.agent.mediation?.leave(Array("{}".utf8))
        harness.run(for: .seconds(120))
        #expect(harness.failures.map(\.failure) == [.malformed])
        #expect(harness.handedOver == 0)
        // When the mediator behaves well again, messages arrive again.
        harness.agent.mediation?.deliverySize = nil
        harness.agent.send(content: "one")
        harness.run(for: .seconds(60))
        #expect(harness.messages == ["one"] && harness.quarantine.count == 1)
    }

    /// A mediator that always has one more message: 64 are fetched at once, then one a second.
    @Test(arguments: [false, true]) func aFloodIsPaced(hasPickup: Bool) throws {
        let harness = try MediatorHarness(hasPickup: hasPickup)
        try harness.start()
        harness.run(for: .seconds(5))
        for number in 0..<2000 { harness.agent.send(content: Text("message \(number)")) }
        let before = harness.posts
        harness.run(for: .seconds(60))
        #expect(harness.messages.count > 64)
        #expect(harness.posts - before < 64 + 3 * 61, "\(harness.posts - before) posts")
    }

    @Test func aSilentMediatorIsReportedUntilItAnswers() throws {
        let harness = try MediatorHarness(hasPickup: false)
        try harness.start()
        harness.run(for: .seconds(5))
        let mediation = harness.agent.mediation
        harness.network = .swallows
        harness.run(for: .seconds(150))
        #expect(harness.failures.map(\.failure) == [.silent])
        harness.network = .whole
        harness.agent.mediation = mediation
        harness.agent.send(content: "back")
        harness.run(for: .seconds(120))
        #expect(harness.messages == ["back"])
    }

    private static let silences: [MediatorHarness.Network] = [
        .swallows, .babbles, .fails, .holds(.seconds(19)), .holds(.seconds(29)), .holds(.seconds(300)),
    ]

    /// With the default times, every kind of silence is reported within a minute, whatever the mailbox was
    /// doing when the mediator fell silent.
    @Test(arguments: [false, true], silences)
    func everySilenceIsReportedWithinAMinute(hasPickup: Bool, network: MediatorHarness.Network) throws {
        var longest = Duration.zero
        for phase in 0..<120 {
            let harness = try MediatorHarness(hasPickup: hasPickup)
            try harness.start()
            harness.run(for: .milliseconds(5_000 + 370 * phase))
            harness.network = network
            let since = harness.now
            harness.run(for: .seconds(60))
            let told = try #require(harness.wrong.first, "phase \(phase)")
            longest = max(longest, since.duration(to: told))
        }
        print("mailbox: a mediator that \(network) (pickup: \(hasPickup)) is told after \(longest) at most")
        // A start during the silence reports it too, whether the connection to the mediator exists or is yet
        // to be made.
        for isKnown in [false, true] {
            let harness = try MediatorHarness(hasPickup: hasPickup)
            if isKnown {
                try harness.start()
                harness.run(for: .seconds(5))
            }
            harness.network = network
            let before = harness.wrong.count
            try harness.start()
            harness.run(for: .seconds(60))
            #expect(harness.wrong.count > before, "known: \(isKnown)")
        }
    }

    /// Measures the cost of a healthy mediator and checks that it is never reported as silent, although no
    /// message waits for a day.
    @Test(arguments: [false, true]) func aMediatorThatIsWellIsNeverCalledSilent(hasPickup: Bool) throws {
        let harness = try MediatorHarness(hasPickup: hasPickup)
        try harness.start()
        harness.run(for: .seconds(60))
        let posts = harness.posts
        harness.run(for: .seconds(86_400))
        #expect(harness.wrong.isEmpty)
        print(
            "mailbox: \((harness.posts - posts) / 24) posts an hour to a mediator without messages (pickup: \(hasPickup))"
        )
        #expect(harness.posts - posts < 24 * 320)
    }

    /// The mediator is unreachable first, then reachable and silent: the silence is reported, too.
    @Test func aMediatorThatComesBackSilentIsReported() throws {
        let harness = try MediatorHarness(hasPickup: false)
        try harness.start()
        harness.run(for: .seconds(5))
        harness.network = .fails
        harness.run(for: .seconds(300))
        #expect(harness.failures.isEmpty && harness.wrong.count == 1)
        harness.network = .swallows
        harness.feed(MailboxEvent.retryNow)
        harness.run(for: .seconds(60))
        #expect(harness.failures.map(\.failure) == [.silent])
        harness.network = .whole
        harness.run(for: .seconds(60))
        harness.network = .swallows
        harness.run(for: .seconds(60))
        #expect(harness.failures.map(\.failure) == [.silent, .silent], "it was heard in between")
    }

    @Test func refusedKeysAreReportedAndTriedAgain() throws {
        let harness = try MediatorHarness(hasPickup: false)
        harness.agent.mediation?.result = "server_error"
        try harness.start()
        harness.run(for: .seconds(60))
        #expect(harness.failures.map(\.connection) == ["c"])
        #expect(harness.address == nil)
        harness.agent.mediation?.result = "success"
        harness.run(for: .seconds(310))
        #expect(harness.isComplete)
    }

    @Test func keysThatAnAnswerLeavesOutAreAskedAboutLater() throws {
        let harness = try MediatorHarness(hasPickup: true)
        harness.agent.mediation?.omitsKeys = true
        try harness.start()
        harness.run(for: .seconds(60))
        #expect(!harness.neverRests && harness.posts < 60)
        #expect(harness.failures.map(\.connection) == ["c"])
        harness.agent.mediation?.omitsKeys = false
        harness.run(for: .seconds(310))
        #expect(harness.isComplete)
        harness.agent.mediation?.omitsKeys = true
        harness.feed(.close(connection: "c"))
        #expect(!harness.neverRests && harness.closed.isEmpty)
        harness.agent.mediation?.omitsKeys = false
        harness.run(for: .seconds(310))
        #expect(harness.closed == ["c"])
    }

    /// A key that a late answer makes current again counts as the newest of the connection's keys, not as the
    /// oldest.
    @Test func aKeyThatIsOpenedAgainIsTheNewest() throws {
        let harness = try MediatorHarness(hasPickup: true)
        try harness.start()
        harness.run(for: .seconds(5))
        let keys = try (0..<5).map { try #require(KeyPair(seed: Secret([UInt8](repeating: 100 + $0, count: 32)))) }
        for key in [keys[0], keys[1], keys[2], keys[0], keys[3], keys[4]] {
            harness.feed(.open(connection: "other", key: key))
        }
        harness.run(for: .seconds(5))
        let removed = harness.agent.mediation?.updates.filter { $0.hasPrefix("remove") }
        #expect(removed == [Text("remove \(keys[1].verkey)")])
    }

    @Test func aConnectionForWhichThereIsNoRoomIsTriedAgain() throws {
        let harness = try MediatorHarness(hasPickup: true)
        for number in 0..<64 {
            let key = try #require(KeyPair(seed: Secret([UInt8](repeating: UInt8(100 + number), count: 32))))
            harness.feed(.open(connection: Text("other \(number)"), key: key))
        }
        try harness.start()
        harness.run(for: .seconds(60))
        #expect(harness.failures.map(\.failure) == [.problem("too-many-keys")] && !harness.isComplete)
        harness.feed(.close(connection: "other 0"))
        harness.run(for: .seconds(900))
        #expect(harness.isComplete)
    }

    /// One unanswered query does not mean that the mediator does not support pickup.
    @Test(arguments: [false, true]) func pickupIsAskedForAgain(byOperator: Bool) throws {
        let harness = try MediatorHarness(hasPickup: true)
        try harness.start()
        harness.run(for: .seconds(5))
        harness.network = .swallows
        try harness.start()
        harness.run(for: .seconds(20))
        harness.network = .whole
        harness.agent.send(content: "by pickup")
        if byOperator {
            harness.run(for: .seconds(30))
            harness.feed(MailboxEvent.retryNow)
            harness.run(for: .seconds(5))
        } else {
            harness.run(for: .seconds(400))
        }
        #expect(harness.messages == ["by pickup"])
    }

    @Test func aMediatorThatNeverAnswersTheHandshakeIsReported() throws {
        let harness = try MediatorHarness(hasPickup: true)
        harness.network = .swallows
        try harness.start()
        harness.run(for: .seconds(60))
        #expect(harness.failures.map(\.failure) == [.silent])
        harness.network = .whole
        harness.run(for: .seconds(900))
        #expect(harness.isComplete)
    }

    /// Unrequested answers do not stop the mailbox.
    @Test func unaskedAnswersChangeNothing() throws {
        let harness = try MediatorHarness(hasPickup: true)
        try harness.start()
        harness.run(for: .seconds(5))
        harness.tellMailbox("mediate-grant", of: Coordination.name, [.init("endpoint", "ftp://elsewhere.test/")])
        harness.tellMailbox("mediate-deny", of: Coordination.name, [])
        harness.tellMailbox("keylist-update-response", of: Coordination.name, [.init("updated", 7)])
        harness.tellMailbox("status", of: Pickup.name, [.init("message_count", -1)])
        harness.run(for: .seconds(120))
        harness.agent.send(content: "one")
        harness.run(for: .seconds(21))
        #expect(harness.failures.isEmpty && harness.messages == ["one"])
    }

    @Test func moreKeysThanThereIsRoomForAreRefused() throws {
        let harness = try MediatorHarness(hasPickup: false)
        try harness.start()
        harness.run(for: .seconds(5))
        for number in 0..<80 {
            let key = try #require(KeyPair(seed: Secret([UInt8](repeating: UInt8(100 + number), count: 32))))
            harness.feed(.open(connection: Text("other \(number)"), key: key))
        }
        let refused = harness.failures.filter { $0.failure == .problem("too-many-keys") }
        #expect(refused.count == 80 - 63)
    }

    @Test func spoiltSnapshotsAreRefused() throws {
        let harness = try MediatorHarness(hasPickup: false)
        try harness.start()
        harness.run(for: .seconds(5))
        let whole = try #require(harness.stored.mailbox?.object)
        for name in ["version", "kind", "connection", "keys", "address", "used"] as [Text] {
            var object = whole
            object[name] = "?"
            #expect(throws: SnapshotError.self, "\(name)") {
                _ = try Mediator(
                    restoring: .object(object), configuration: MediatorHarness.configuration, random: stream(9)
                ).id
            }
        }
    }
}
