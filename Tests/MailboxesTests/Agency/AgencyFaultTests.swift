import Aries
import DIDComm
import Encoding
import Mailboxes
import Testing
import VirtualKit

/// A mailbox at agencies of both dialects is created, read, released and left, with every fault and a kill at
/// every step.
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

    /// If a server accepts a post and does not answer, the mailbox reports this within a minute of the
    /// server's last answer, although the answer may still arrive.
    @Test(arguments: AgencyDialect.allCases) func aDelayedPostIsReported(_ dialect: AgencyDialect) throws {
        let harness = try AgencyHarness(dialect)
        harness.start()
        harness.open("a")
        harness.run(for: .seconds(30))
        let since = harness.now
        var (told, asked): (Instant?, AgentConnection.ExchangeID?)
        while told == nil, let deadline = harness.mailbox.deadline, since.duration(to: deadline) <= .seconds(60) {
            harness.now = max(harness.now, deadline)
            for action in harness.mailbox.handle(.deadlineReached, at: harness.now) {
                if case .post(let id, _, _) = action { asked = id }
                if case .failed(.silent, nil) = action { told = harness.now }
            }
        }
        print("agency: a post that is held up is told after \(since.duration(to: try #require(told)))")
        // The end of the fault is reported, too.
        harness.feed(.failed(try #require(asked), .uncertain))
        let before = harness.seen.count
        harness.run(for: .seconds(60))
        #expect(
            harness.seen.dropFirst(before).contains { if case .address = $0 { true } else { false } },
            "all is well again")
        #expect(harness.broken == [])
    }

    /// If more messages wait for one connection than are read at once, the other connections are served, the
    /// mailbox reports it, and the connection can still be closed.
    @Test(arguments: AgencyDialect.allCases) func moreThanIsReadWaitsForOne(_ dialect: AgencyDialect) throws {
        let harness = try AgencyHarness(dialect)
        harness.start()
        for name in ["a", "b"] as [Text] { harness.open(name) }
        harness.run(for: .seconds(30))
        harness.answerLimit = 12_000
        for number in 0..<30 { harness.send(Text("a\(number)"), to: "a") }
        harness.send("b1", to: "b")
        harness.feed(.fetch)
        harness.run(for: .seconds(600))
        #expect(harness.connections["b"]?.durable == ["b1"] && harness.connections["b"]?.failures == [])
        #expect(harness.connections["a"]?.durable == [] && harness.connections["a"]?.failures == [.tooMuch])
        let requests = harness.requests
        harness.close("a")
        harness.run(for: .seconds(3600))
        #expect(harness.connections["a"]?.isComplete == dialect.deletes)
        #expect(harness.mailbox.connections == ["b"] && harness.requests < requests + 200)
        #expect(harness.broken == [])
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
        for fault in Self.faults where dialect == .evernym || fault.name != "no bulk" {
            let whole = try scenario(dialect) { fault.set(&$0.agency.faults) }
            try check(whole, fault.name, strangers: fault.strangers)
            #expect(fault.hasHappened(whole), "\(fault.name)")
            for step in stride(from: 1, through: whole.steps, by: 5) {
                let harness = try scenario(dialect) {
                    fault.set(&$0.agency.faults)
                    $0.killAt = step
                }
                try check(harness, "\(fault.name), killed at \(step)", strangers: fault.strangers)
            }
        }
    }

    private struct Fault: Sendable {
        let name: String
        /// The number of answers from foreign senders, which cannot be trusted; each counts as a lost answer.
        var strangers = 0
        let set: @Sendable (inout VirtualAgencyFaults) -> Void
        /// Whether a run without a kill met the fault; for a counted fault, whether all its occurrences were
        /// met.
        let hasHappened: @Sendable (AgencyHarness) -> Bool
    }

    private static let faults = [
        Fault(name: "drops", set: { $0.lostAnswers = 4 }, hasHappened: { $0.agency.faults.lostAnswers == 0 }),
        Fault(name: "errors", set: { $0.errors = 4 }, hasHappened: { $0.agency.faults.errors == 0 }),
        Fault(name: "duplicates", set: { $0.duplicates = 100 }, hasHappened: { $0.agency.faults.duplicates < 100 }),
        Fault(
            name: "reorders", set: { $0.reorders = true },
            hasHappened: { $0.connections["a"]?.durable.first == "a3" }),
        Fault(
            name: "delay", set: { $0.delay = .seconds(7) },
            hasHappened: { Instant.zero.duration(to: $0.now) > .seconds(7 * $0.requests) }),
        Fault(
            name: "foreign senders", strangers: 5, set: { $0.foreignSenders = 5 },
            hasHappened: { $0.agency.faults.foreignSenders == 0 }),
        Fault(
            name: "no bulk", set: { $0.refusesBulk = true }, hasHappened: { $0.agency.log.contains("GET_MSGS") }),
        Fault(
            name: "all of them",
            set: { faults in
                (faults.lostAnswers, faults.errors, faults.duplicates) = (2, 2, 100)
                (faults.reorders, faults.delay) = (true, .seconds(3))
            },
            hasHappened: {
                let left = $0.agency.faults
                return left.lostAnswers == 0 && left.errors == 0 && left.duplicates < 100
            }),
    ]

    /// A driver that reports refusals without codes: if the answer to a request that an agency accepts only
    /// once was lost (for an agent or a connection's key), the refusal of its repetition cannot be
    /// distinguished from other refusals.
    @Test(arguments: AgencyDialect.allCases)
    func lostAnswersOfADriverWithoutCodes(_ dialect: AgencyDialect) throws {
        let asked = try scenario(dialect).asked
        let once = asked.indices.filter { ["CREATE_AGENT", "CREATE_KEY"].contains(asked[$0]) }.map { $0 + 1 }
        var stuck: [Int] = []
        for request in 4...asked.count {
            let harness = try scenario(dialect) {
                $0.loseAt = request
                $0.hidesBodies = true
            }
            if harness.connections.values.contains(where: { $0.address == nil }) {
                stuck.append(request)
                #expect(harness.broken == [] && harness.agency.agents == 1, "lost \(request)")
            } else {
                try check(harness, "lost \(request)")
            }
        }
        #expect(once.count == 3 && stuck == (dialect == .evernym ? once : []), "\(stuck) of \(asked)")
    }

    /// Runs two connections with messages for both; then one connection ends, and more messages arrive for
    /// the other.
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

    /// Checks that there is no second agent, that no message is lost, and that every message ends as MS-106.
    private func check(_ harness: AgencyHarness, _ name: String = "", strangers: Int = 0) throws {
        #expect(harness.broken == [], "\(name)")
        let agent = try #require(harness.agent, "\(name)")
        #expect(!agent.did.isEmpty)
        if let loss = harness.atLoss {
            // The lost answer may have been the only answer that named an agent.
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
