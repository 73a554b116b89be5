import Aries
import DIDComm
import Encoding
import Mailboxes
import Testing
import VirtualKit

/// The behaviour of a mailbox at an agency, including its resistance to a faulty or hostile one.
@Suite struct AgencyMailboxTests {
    @Test(arguments: AgencyDialect.allCases) func anotherAgencysKeyIsNeverTaken(_ dialect: AgencyDialect) throws {
        let harness = try AgencyHarness(dialect)
        harness.agency.faults.hasOtherKey = true
        harness.start()
        harness.open("a")
        harness.run(for: .seconds(3600))
        #expect(harness.failures == [.otherKey])
        #expect(harness.connections["a"]?.failures == [.otherKey])
        #expect(harness.agency.log == [])
        #expect(harness.requests < 10)
        harness.agency.faults.hasOtherKey = false
        harness.feed(.retryNow)
        #expect(harness.connections["a"]?.address != nil)
        // The stored state is valid for this agency only.
        let other = try #require(KeyPair(seed: Secret([UInt8](repeating: 1, count: 32)))).verkey
        let settings = AgencySettings(dialect, url: "https://agency.test", agency: AgencyParty(other))
        let snapshot = try JSON.parse(try #require(harness.stored))
        #expect(throws: SnapshotError.otherAgency) {
            _ = try AgencyMailbox(restoring: snapshot, settings, random: stream(1)).agent
        }
    }

    @Test func anUnauthorisedKioskDoesNotRepeatItsRequests() throws {
        let harness = try AgencyHarness(.evernym)
        harness.start()
        harness.open("a")
        harness.run(for: .seconds(60))
        harness.agency.faults.refusesAll = true
        harness.send("a1", to: "a")
        let asked = harness.requests
        harness.run(for: .seconds(4 * 3600))
        #expect(harness.requests - asked <= 2 + 2 * 4 * 4)
        #expect(harness.failures.contains(.unauthorised))
        harness.agency.faults.refusesAll = false
        let before = harness.addresses
        harness.feed(.retryNow)
        #expect(harness.connections["a"]?.durable == ["a1"])
        #expect(harness.addresses == before + 1)  // this shows that the connection is served again
    }

    @Test(arguments: AgencyDialect.allCases) func aDayWithoutNetwork(_ dialect: AgencyDialect) throws {
        let harness = try AgencyHarness(dialect)
        harness.start()
        harness.open("a")
        for number in 0..<40 { harness.send(Text("m\(number)"), to: "a") }
        harness.isReachable = false
        let before = harness.requests
        harness.run(for: .seconds(86_400))
        #expect((96...220).contains(harness.requests - before))  // 15 minutes apart, shortened by up to a half
        harness.isReachable = true
        harness.feed(.retryNow)
        #expect(harness.connections["a"]?.durable == (0..<40).map { Text("m\($0)") })
        let changes = harness.seen.compactMap {
            if case .reachability(let failure) = $0 { failure == nil } else { nil }
        }
        #expect(changes == [true, false, true])
    }

    @Test func aConnectionInTroubleDoesNotHoldUpTheOthers() throws {
        let harness = try AgencyHarness(.evernym)
        harness.start()
        harness.open("a")
        harness.open("b")
        let key = try #require(harness.connections["b"]?.address?.routingKeys.first)
        harness.agency.delete(key)  // deleted at the agency by an outside action
        harness.agency.faults.refusesBulk = true
        harness.run(for: .seconds(60))
        harness.send("a1", to: "a")
        #expect(!harness.send("b1", to: "b"))
        harness.run(for: .seconds(60))
        #expect(harness.connections["a"]?.durable == ["a1"])
        #expect(harness.connections["b"]?.failures == [.problem("CS-103")])
        #expect(harness.requests < 40)
        harness.close("b")
        #expect(harness.connections["b"]?.isComplete == true)
    }

    /// The Node agency answers HTTP 500 to every request that it rejects.
    @Test func aConnectionWhoseRequestsFailDoesNotHoldUpTheOthers() throws {
        let harness = try AgencyHarness(.node)
        harness.start()
        harness.open("a")
        harness.open("b")
        let key = try #require(harness.connections["a"]?.address?.routingKeys.first)
        harness.agency.delete(key)
        let before = harness.requests
        harness.run(for: .seconds(120))
        harness.send("b1", to: "b")
        harness.run(for: .seconds(60))
        #expect(harness.connections["b"]?.durable == ["b1"])
        #expect(harness.connections["a"]?.failures == [.problem("http-500")])
        #expect(harness.requests - before < 40)
    }

    @Test(arguments: ["UPDATE_COM_METHOD", "UPDATE_MSG_STATUS_BY_CONNS"] as [Text])
    func messagesAreReadThoughSomethingElseFails(_ name: Text) throws {
        let harness = try AgencyHarness(.node) { $0.webhook = .init(id: "k", url: "https://kiosk.test/wake") }
        harness.failing = name
        harness.start()
        harness.open("a")
        harness.run(for: .seconds(5))
        for id in ["a1", "a2", "a3"] as [Text] {
            harness.send(id, to: "a")
            harness.run(for: .seconds(60))
        }
        #expect(harness.connections["a"]?.durable == ["a1", "a2", "a3"])
        #expect(harness.requests < 60)
    }

    /// A message that arrives after an answer was sent is fetched at once. Otherwise it would wait until the
    /// next look, which may be hours away if a webhook wakes the kiosk.
    @Test(arguments: AgencyDialect.allCases)
    func aMessageThatArrivesDuringAnAnswerIsFetchedAtOnce(_ dialect: AgencyDialect) throws {
        let harness = try AgencyHarness(dialect)
        harness.start()
        harness.open("a")
        harness.run(for: .seconds(60))
        let before = harness.requests
        harness.meanwhile = { harness.send("late", to: "a") }
        harness.feed(.fetch)
        #expect(harness.meanwhile == nil && harness.connections["a"]?.durable == ["late"])
        #expect(harness.requests - before <= 4)  // two looks, the release, and one more look after it
    }

    @Test func verityHasBatches() throws {
        let harness = try AgencyHarness(.evernym)
        harness.agency.batchBytes = 3000
        harness.start()
        harness.open("a")
        harness.open("b")
        let ids = (0..<30).map { Text("m\($0)") }
        for id in ids { harness.send(id, to: "a") }
        harness.send("b", to: "b")
        harness.feed(.fetch)
        #expect(harness.connections["a"]?.durable == ids)  // at once, not one batch in each interval
        #expect(harness.connections["b"]?.durable == ["b"])
        #expect(harness.largestBatch < 10)
        #expect(harness.agency.messages.allSatisfy { $0.status == "MS-106" })
    }

    @Test func manyMessagesComeInPortionsUntilNothingWaits() throws {
        let harness = try AgencyHarness(.node)
        harness.start()
        harness.open("a")
        let ids = (0..<600).map { Text("m\($0)") }
        for id in ids { harness.send(id, to: "a") }
        harness.feed(.fetch)
        #expect(harness.connections["a"]?.durable == ids)
        #expect(harness.largestBatch == AgencyAnswer.messagesLimit)
    }

    @Test(arguments: AgencyDialect.allCases) func unreadableMessagesAreReleasedToo(_ dialect: AgencyDialect) throws {
        let harness = try AgencyHarness(dialect)
        harness.start()
        harness.open("a")
        let key = try #require(harness.connections["a"]?.address?.routingKeys.first)
        harness.agency.spoil(key)
        harness.send("a1", to: "a")
        harness.run(for: .seconds(60))
        #expect(harness.connections["a"]?.quarantined == 1)
        #expect(harness.connections["a"]?.durable == ["a1"])
        #expect(harness.agency.messages.allSatisfy { $0.status == "MS-106" })
    }

    @Test(arguments: AgencyDialect.allCases) func messagesThatNeverGoAwayDoNotKeepItBusy(_ dialect: AgencyDialect)
        throws
    {
        let harness = try AgencyHarness(dialect)
        harness.start()
        harness.open("a")
        harness.agency.faults.strayMessages = (0..<10_000).map { number in
            [
                "uid": .text("s\(number % 5000)"), "statusCode": "MS-103",
                "payload": number % 2 == 0 ? nil : ["protected": "x"],
            ]
        }
        let before = harness.requests
        harness.run(for: .seconds(200))
        #expect(harness.broken == [])
        #expect(harness.largestBatch == AgencyAnswer.messagesLimit)
        #expect(harness.requests - before <= 2 * 11 + 2)  // one query and one release in each interval
        harness.agency.faults.strayMessages = [
            ["uid": -1, "statusCode": "MS-103"], ["uid": .number(JSONNumber(validated: "1e99")), "statusCode": []],
        ]
        harness.send("a1", to: "a")
        harness.run(for: .seconds(60))
        #expect(harness.connections["a"]?.durable == ["a1"])
    }

    @Test func onlyDurableMessagesAreReleased() throws {
        let harness = try AgencyHarness(.evernym)
        harness.start()
        harness.open("a")
        harness.applies = { _ in false }
        harness.send("a1", to: "a")
        harness.run(for: .seconds(120))
        #expect(harness.agency.messages.map(\.status) == ["MS-103"])
        #expect(harness.agency.log.contains("UPDATE_MSG_STATUS_BY_CONNS") == false)
        harness.applies = { _ in true }
        harness.run(for: .seconds(600))  // handed over a second time
        #expect(harness.connections["a"]?.durable == ["a1"])
        #expect(harness.agency.messages.map(\.status) == ["MS-106"])
    }

    @Test(arguments: AgencyDialect.allCases) func noUnstoredRequestIsSent(_ dialect: AgencyDialect) throws {
        let harness = try AgencyHarness(dialect)
        harness.isStoring = false
        harness.start()
        harness.open("a")
        harness.run(for: .seconds(3600))
        #expect(harness.requests == 0)
        #expect(harness.broken == [])
        harness.isStoring = true
        harness.feed(.retryNow)
        harness.run(for: .seconds(10))
        #expect(harness.connections["a"]?.address != nil)
        #expect(harness.agency.agents == 1)
    }

    @Test(arguments: AgencyDialect.allCases) func anotherKeyTakesThePlace(_ dialect: AgencyDialect) throws {
        let harness = try AgencyHarness(dialect)
        harness.start()
        harness.open("a")
        let first = try #require(harness.connections["a"])
        harness.open("a")  // under another key
        #expect(harness.connections["a"]?.address?.routingKeys.first != first.address?.routingKeys.first)
        // A late answer to a request that was sent under the first key.
        harness.restart()
        harness.send("late", to: "a", for: first.key, at: first.address)
        harness.send("a1", to: "a")
        harness.run(for: .seconds(60))
        #expect(Set(harness.connections["a"]?.durable ?? []) == ["late", "a1"])
        // The connection continues under the first key.
        harness.feed(.open(connection: "a", key: first.key))
        #expect(harness.connections["a"]?.address == first.address)
        #expect(harness.agency.log.count { $0 == "CREATE_KEY" } == 2)
        // A key that is no longer needed is deleted, and no event reports that.
        harness.now = harness.now.advanced(by: .seconds(8 * 86_400))
        harness.run(for: .seconds(60))
        #expect(harness.agency.connections == (dialect.deletes ? 1 : 2))
        #expect(!harness.seen.contains { if case .closed = $0 { true } else { false } })
        harness.send("a2", to: "a", for: first.key, at: first.address)
        harness.run(for: .seconds(60))
        #expect(harness.connections["a"]?.durable.contains("a2") == true)
        harness.close("a")
        #expect(harness.agency.connections == (dialect.deletes ? 0 : 2))
    }

    @Test(arguments: AgencyDialect.allCases) func manyKeysAreBounded(_ dialect: AgencyDialect) throws {
        let harness = try AgencyHarness(dialect)
        harness.start()
        for _ in 0..<9 { harness.open("a") }
        let slots = try JSON.parse(try #require(harness.stored))["connections"]?.array?.count
        #expect(slots == 5)
        if dialect.deletes { #expect(harness.agency.connections == 5) }
        harness.close("a")
        #expect(harness.seen.count { if case .closed = $0 { true } else { false } } == 1)
        #expect(harness.connections["a"]?.isComplete == dialect.deletes)
    }

    @Test(arguments: AgencyDialect.allCases) func openingAndClosingAgainChangesNothing(_ dialect: AgencyDialect) throws
    {
        let harness = try AgencyHarness(dialect)
        harness.start()
        harness.open("a")
        let key = try #require(harness.connections["a"]?.key)
        for _ in 0..<3 { harness.feed(.open(connection: "a", key: key)) }
        #expect(harness.agency.log.count { $0 == "CREATE_KEY" } == 1)
        #expect(harness.addresses == 4)
        harness.close("a")
        harness.close("a")
        harness.feed(.close(connection: "unknown"))
        let closed = harness.seen.count { if case .closed = $0 { true } else { false } }
        #expect(closed == 3)
        #expect(harness.connections["a"]?.isComplete == dialect.deletes)
    }

    @Test func aClosedConnectionOfTheNodeAgencyLeavesNothingWaiting() throws {
        let harness = try AgencyHarness(.node)
        harness.start()
        harness.open("a")
        for number in 0..<300 { harness.send(Text("m\(number)"), to: "a") }
        harness.close("a")
        #expect(harness.connections["a"]?.isComplete == false)
        #expect(harness.connections["a"]?.durable == [])
        #expect(harness.agency.messages.count == 300)
        #expect(harness.agency.messages.allSatisfy { $0.status == "MS-106" })
    }

    @Test(arguments: AgencyDialect.allCases) func webhooksAreSetChangedAndUnset(_ dialect: AgencyDialect) throws {
        let harness = try AgencyHarness(dialect) { $0.webhook = .init(id: "k", url: "https://kiosk.test/1") }
        harness.start()
        harness.open("a")
        #expect(harness.agency.webhooks == ["https://kiosk.test/1"])
        harness.send("a1", to: "a")
        let body = try #require(harness.agency.wakeUps.last?.body)
        let did = harness.connections["a"]?.key.verkey.unqualifiedDID
        #expect(try AgencyWakeUp(body).pairwiseDID == did)
        harness.settings.webhook = .init(id: "k", url: "https://kiosk.test/2")
        harness.restart()
        #expect(harness.agency.webhooks == ["https://kiosk.test/2"])
        harness.settings.webhook = nil
        harness.restart()
        #expect(harness.agency.webhooks == [])
        #expect(harness.agency.log.count { $0 == "UPDATE_COM_METHOD" } == 3)
        harness.restart()
        #expect(harness.agency.log.count { $0 == "UPDATE_COM_METHOD" } == 3)
        #expect((harness.longPoll != nil) == (dialect == .node))
    }
}
