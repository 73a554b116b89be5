import Aries
import DIDComm
import Encoding
import Simulation
import Testing

/// A mailbox at agencies of both dialects: made, read, released and left, through every fault and every kill.
@Suite struct AgencyMailboxTests {
    @Test(arguments: AgencyDialect.allCases) func messagesArriveAndAreReleased(_ dialect: AgencyDialect) throws {
        let harness = try scenario(dialect)
        try check(harness)
        #expect(harness.agency.agents == 1)
        #expect(harness.agency.connections == (dialect.deletes ? 1 : 2))
        #expect(harness.connections["a"]?.durable == ["a1", "a2", "a3", "a4"])
        #expect(harness.connections["a"]?.repetitions == 0)
        #expect(harness.failures == [])
        let address = try #require(harness.connections["a"]?.address)
        #expect(address.endpoint == "https://agency.test/agency/msg")
        #expect(address.routingKeys.count == 2 && address.routingKeys.last == harness.agency.party.key)
        let first: [Text] =
            dialect == .node
            ? ["CONNECT", "SIGNUP", "CREATE_AGENT", "CREATE_KEY", "CREATE_KEY"]
            : ["CONNECT", "SIGNUP", "CREATE_AGENT", "CREATE_KEY", "GET_MSGS_BY_CONNS"]
        #expect(Array(harness.agency.log.prefix(3)) == Array(first.prefix(3)))
        #expect(harness.agency.log.count { $0 == "CREATE_KEY" } == 2)
        #expect(harness.agency.log.contains("GET_MSGS_BY_CONNS") == (dialect == .evernym))
    }

    @Test(arguments: AgencyDialect.allCases) func killedAtEveryStep(_ dialect: AgencyDialect) throws {
        let steps = try scenario(dialect).steps
        #expect(steps > 40)
        for step in 1...steps {
            let harness = try scenario(dialect) { $0.killAt = step }
            try check(harness, "killed at \(step)")
        }
    }

    @Test(arguments: AgencyDialect.allCases) func everyLostAnswer(_ dialect: AgencyDialect) throws {
        let requests = try scenario(dialect).requests
        for request in 1...requests {
            let harness = try scenario(dialect) { $0.loseAt = request }
            try check(harness, "lost \(request)")
        }
    }

    @Test(arguments: AgencyDialect.allCases) func everyFaultAndKill(_ dialect: AgencyDialect) throws {
        let faults: [(name: String, set: (inout VirtualAgencyFaults) -> Void)] = [
            ("errors", { $0.errors = 4 }), ("duplicates", { $0.duplicates = 100 }),
            ("reorders", { $0.reorders = true }),
            ("delay", { $0.delay = .seconds(7) }), ("foreign senders", { $0.foreignSenders = 5 }),
            ("no bulk", { $0.refusesBulk = true }),
        ]
        for (name, set) in faults {
            let steps = try scenario(dialect) { set(&$0.agency.faults) }.steps
            for step in stride(from: 1, through: steps, by: 5) {
                let harness = try scenario(dialect) {
                    set(&$0.agency.faults)
                    $0.killAt = step
                }
                // An answer that nobody can trust is lost, too.
                try check(harness, "\(name), killed at \(step)", strangers: name == "foreign senders" ? 5 : 0)
            }
        }
    }

    @Test func lostAnswersAndKillsOfADriverThatTellsNoCodes() throws {
        for dialect in AgencyDialect.allCases {
            for request in stride(from: 4, through: try scenario(dialect).requests, by: 2) {
                let harness = try scenario(dialect) {
                    $0.loseAt = request
                    $0.hidesBodies = true
                }
                // A connection's key whose answer was lost needs the code to be told from other refusals.
                if dialect == .evernym, harness.connections.values.contains(where: { $0.address == nil }) { continue }
                try check(harness, "lost \(request)")
            }
        }
    }

    /// Two connections, messages for both, one connection ends, more messages for the other.
    private func scenario(_ dialect: AgencyDialect, _ change: (AgencyHarness) -> Void = { _ in }) throws
        -> AgencyHarness
    {
        let harness = try AgencyHarness(dialect) { settings in
            settings.webhook = .init(id: "k", url: "https://kiosk.test/wake")
            (settings.limits.longestRetry, settings.limits.refusedRetry) = (.seconds(30), .seconds(30))
        }
        change(harness)
        harness.start()
        harness.open("a")
        harness.open("b")
        for _ in 0..<10 where harness.connections.values.contains(where: { $0.address == nil }) {
            harness.run(for: .seconds(30))
        }
        for id in ["a1", "a2", "a3"] as [Text] { harness.send(id, to: "a") }
        for id in ["b1", "b2"] as [Text] { harness.send(id, to: "b") }
        for _ in 0..<10 where harness.connections.values.contains(where: { $0.durable.isEmpty }) {
            harness.run(for: .seconds(30))
        }
        harness.close("b")
        harness.send("a4", to: "a")
        harness.feed(.fetch)
        harness.run(for: .seconds(90))
        return harness
    }

    /// No second agent, no lost message, MS-106 last.
    private func check(_ harness: AgencyHarness, _ name: String = "", strangers: Int = 0) throws {
        #expect(harness.broken == [], "\(name)")
        let agent = try #require(harness.agent, "\(name)")
        #expect(!agent.did.isEmpty)
        if let loss = harness.atLoss {
            // What was lost may have been the only word of an agent.
            #expect(harness.agency.agents <= loss.agents + (loss.knewAgent ? 0 : 1 + strangers), "\(name)")
        } else {
            #expect(harness.agency.agents <= 1 + strangers, "\(name)")
        }
        let (a, b) = (try #require(harness.connections["a"]), try #require(harness.connections["b"]))
        #expect(Set(a.durable) == ["a1", "a2", "a3", "a4"], "\(name)")
        #expect(Set(b.durable) == ["b1", "b2"], "\(name)")
        #expect(a.quarantined == 0 && b.quarantined == 0, "\(name)")
        #expect(b.isComplete == harness.settings.dialect.deletes, "\(name)")
        #expect(harness.agency.messages.allSatisfy { $0.status == "MS-106" }, "\(name)")
        #expect(harness.agency.webhooks == ["https://kiosk.test/wake"], "\(name)")
        #expect(harness.requests < 150, "\(name)")
    }

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
        // What is stored is for that agency and no other.
        let other = try #require(KeyPair(seed: Secret([UInt8](repeating: 1, count: 32)))).verkey
        let settings = AgencySettings(dialect, url: "https://agency.test", agency: AgencyParty(other))
        let snapshot = try JSON.parse(try #require(harness.stored))
        #expect(throws: AgencyMailbox.RestoreError.otherAgency) {
            _ = try AgencyMailbox(restoring: snapshot, settings, random: stream(1)).agent
        }
    }

    @Test func whoIsNotAuthorisedDoesNotKeepAsking() throws {
        let harness = try AgencyHarness(.evernym)
        harness.start()
        harness.open("a")
        harness.run(for: .seconds(60))
        harness.agency.faults.refusesAll = true
        harness.send("a1", to: "a")
        let before = harness.requests
        harness.run(for: .seconds(4 * 3600))
        #expect(harness.requests - before <= 2 + 2 * 4 * 4)
        #expect(harness.failures.contains(.unauthorised))
        harness.agency.faults.refusesAll = false
        harness.feed(.retryNow)
        #expect(harness.connections["a"]?.durable == ["a1"])
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

    @Test(arguments: AgencyDialect.allCases) func whatNobodyCanReadIsReleasedToo(_ dialect: AgencyDialect) throws {
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
        #expect(harness.requests - before <= 2 * 11 + 2)  // one question and one release in each interval
        harness.agency.faults.strayMessages = [
            ["uid": -1, "statusCode": "MS-103"], ["uid": .number(JSONNumber(validated: "1e99")), "statusCode": []],
        ]
        harness.send("a1", to: "a")
        harness.run(for: .seconds(60))
        #expect(harness.connections["a"]?.durable == ["a1"])
    }

    @Test func whatIsNotDurableIsNotReleased() throws {
        let harness = try AgencyHarness(.evernym)
        harness.start()
        harness.open("a")
        harness.applies = { _ in false }
        harness.send("a1", to: "a")
        harness.run(for: .seconds(120))
        #expect(harness.agency.messages.map(\.status) == ["MS-103"])
        #expect(harness.agency.log.contains("UPDATE_MSG_STATUS_BY_CONNS") == false)
        harness.applies = { _ in true }
        harness.run(for: .seconds(600))  // handed over once more
        #expect(harness.connections["a"]?.durable == ["a1"])
        #expect(harness.agency.messages.map(\.status) == ["MS-106"])
    }

    @Test(arguments: AgencyDialect.allCases) func nothingGoesOutThatIsNotStored(_ dialect: AgencyDialect) throws {
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
        let first = try #require(harness.connections["a"]?.address)
        harness.open("a")  // under another key
        harness.run(for: .seconds(60))
        let second = try #require(harness.connections["a"]?.address)
        #expect(first.routingKeys[0] != second.routingKeys[0])
        harness.send("a1", to: "a")
        harness.run(for: .seconds(60))
        #expect(harness.connections["a"]?.durable == ["a1"])
        #expect(harness.connections["a"]?.isComplete == nil)  // nobody closed it
        #expect(harness.agency.connections == (dialect.deletes ? 1 : 2))
    }

    @Test(arguments: AgencyDialect.allCases) func openingAndClosingAgainChangesNothing(_ dialect: AgencyDialect) throws
    {
        let harness = try AgencyHarness(dialect)
        harness.start()
        harness.open("a")
        let key = try #require(harness.connections["a"]?.key)
        for _ in 0..<3 { harness.feed(.open(connection: "a", key: key)) }
        #expect(harness.agency.log.count { $0 == "CREATE_KEY" } == 1)
        #expect(harness.seen.count { if case .address = $0 { true } else { false } } == 4)
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
        let did = harness.mailbox.pairwiseDID(of: "a")
        #expect(try AgencyWakeUp(body).pairwiseDID == did)
        harness.settings.webhook?.url == nil
            ? () : (harness.settings.webhook = .init(id: "k", url: "https://kiosk.test/2"))
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
