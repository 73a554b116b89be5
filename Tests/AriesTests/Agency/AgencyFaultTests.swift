import Aries
import DIDComm
import Encoding
import Simulation
import Testing

/// A mailbox at agencies of both dialects: made, read, released and left, through every fault and every kill.
@Suite struct AgencyFaultTests {
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
}
