import Aries
import Encoding
import Foundation
import Kiosk
import Ledger
import Reasons
import Store
import TestKit
import Testing

/// Delivery from a ledger on disk through the service to real cloud agents: messages that the agents lose,
/// delete and do not answer.
@Suite(.serialized, .tags(.realTime, .agents)) struct DeliveryTests {
    /// How a version drops a connection. The older version deletes the connection before it looks up where to
    /// send its hangup: for a gate without a mailbox, its API then answers with status 500.
    private static let drops = CloudAgent.versions.flatMap { version in
        (version == "0.12.8" ? ["delete"] : ["delete", "hangup"]).map { (version, $0) }
    }

    /// Settings with which the gate asks after 3 s for a missing answer, and reports the agent's silence.
    private static let asksSoon = GatePace.usual { $0.reports.answer = .seconds(3) }

    /// A regression test: 20 of 20 reports were lost this way, without a report of the loss.
    @Test(.timeLimit(.minutes(4)), arguments: drops)
    func aDroppedConnectionIsReportedAndANewInvitationContinues(version: String, how: String) async throws {
        try await withAgent("dropped", version) { scene in
            let (place, agent) = (scene.place, scene.agent)
            var gate = try await scene.gate(pace: Self.asksSoon)
            try await gate.record(20)
            #expect(try await agent.reports(count: 20).count == 20)
            try await gate.waitForAll()
            let id = try #require(await agent.connections().first)
            try await agent.command("\(how) \(id)")

            let dropped = ContinuousClock.now
            try await gate.record(20)
            try await gate.wait("told silent", within: .seconds(60)) { [gate] in gate.faults.contains(.agentSilent) }
            print("delivery: ACA-Py \(version), \(how): told after \(ContinuousClock.now - dropped)")
            #expect(await gate.cursor().confirmed == 40, "what nobody answered for is not confirmed")

            // The operator gives the new invitation in a file while the service runs, or by the command while the
            // service is stopped.
            if how == "hangup" {
                try await scene.invite()
            } else {
                await gate.stop()
                let child = try Child(
                    Workplace.product,
                    [
                        "agent", "connect", try await agent.invitation().url, "--config",
                        place.path("gatehouse.toml"),
                    ], output: place.path("connect"))
                #expect(try await child.wait(within: .seconds(60)) == .exit(0))
                gate = try await scene.gate(place.path("invitation"))
            }
            let reports = try await agent.reports(count: 40, within: .seconds(60))
            #expect(Set(reports.map(\.id)).count == 40 && reports.count == 40)
            try await gate.waitForAll()
            // The gate deletes the replaced connection once the agent has been notified, or could not be.
            try await gate.wait("forgotten") { [gate] in
                try await gate.courier.connections().map(\.id) == [gate.cursor().connection]
            }
            #expect(gate.faults.isEmpty)
        }
    }

    /// With an unmodified agent, only the reports in its memory are lost when it dies, and no report arrives
    /// under two ids. A controller that is away for a while loses nothing, unless the agent dies meanwhile.
    @Test(.timeLimit(.minutes(4)), arguments: CloudAgent.versions)
    func anAgentThatIsKilledLosesWhatWasInItsMemory(version: String) async throws {
        try await withAgent("killed", version) { scene in
            let agent = scene.agent
            let gate = try await scene.gate(pace: Self.asksSoon)
            let visits = try await gate.record(200)
            let old = Set(visits)
            _ = try await agent.reports(count: 20)
            try await agent.command("kill")
            let killed = gate.position
            try await agent.command("start")
            try await gate.waitForAll(within: .seconds(60))
            let end = await gate.end()
            try await gate.wait("logged") { gate.said("confirmed up to position \(end)") > 0 }
            // Reports that the agent had answered but not yet passed to its controller may have died with it,
            // and those that it had taken since: one window. A visit has two records.
            let confirmed = gate.confirmedBeforeReturn(from: killed) ?? end
            let safe = Set(visits.dropFirst(confirmed / 2 + ReportSettings.Limits().unconfirmedSingles))
            try await gate.wait("arrived", within: .seconds(60)) {
                try Set(agent.reports().compactMap(\.id)).isSuperset(of: safe)
            }
            let arrived = Set(try agent.reports().compactMap(\.id))
            print(
                "delivery: ACA-Py \(version) killed: \(200 - arrived.count) of 200 died in its memory, which had confirmed "
                    + "\(confirmed / 2)")

            try await agent.command("controller down")
            let late = Set(try await gate.record(10))
            try await gate.waitForAll()
            try await agent.command("controller up")
            // Reports from the memory of the killed agent's controller may arrive late: more reports than
            // these are no fault.
            let least = arrived.union(late)
            try await gate.wait("arrived", within: .seconds(60)) {
                try Set(agent.reports().compactMap(\.id)).isSuperset(of: least)
            }

            // The agent takes and answers these reports and dies before its controller is back. By `alive`
            // all of them are lost, and the kiosk cannot know it.
            try await agent.command("controller down")
            let lost = Set(try await gate.record(10))
            try await gate.waitForAll()
            try await agent.command("kill")
            try await agent.command("start")
            try await agent.command("controller up")
            let last = Set(try await gate.record(5))
            try await gate.waitForAll(within: .seconds(60))
            try await gate.wait("arrived", within: .seconds(60)) {
                try Set(agent.reports().compactMap(\.id)).isSuperset(of: least.union(last))
            }
            let all = try agent.reports()
            let ids = Set(all.compactMap(\.id))
            #expect(ids.isDisjoint(with: lost))
            #expect(ids.isSubset(of: old.union(late).union(last)))
            let numbers = try all.map { try #require($0.content["seq"]?.int) }
            #expect(Set(numbers).count == all.count, "none under two ids")
        }
    }

    /// The agent sends receipts after its commit: whatever is stopped or killed on the way, each record
    /// arrives once. A ledger that was restored to an earlier state is detected by the agent's records, and
    /// the next start begins a new ledger.
    @Test(.timeLimit(.minutes(5)), arguments: CloudAgent.versions)
    func receiptsLoseNothingAndFindALedgerThatWasPutBack(version: String) async throws {
        try await withKeeper("receipts", version) { scene, database in
            let (place, agent) = (scene.place, scene.agent)
            let invitation = try await scene.invite()
            var gate = try await scene.gate(invitation)
            try await gate.wait("connected") { [gate] in await gate.cursor().connection != nil }
            let began = ContinuousClock.now
            try await gate.record(500)
            let recorded = ContinuousClock.now
            try await gate.waitForAll()
            print(
                "delivery: ACA-Py \(version), receipts: 500 visits recorded in \(recorded - began), "
                    + "the last one stored \(ContinuousClock.now - recorded) later")
            try await database.command("kill")
            try await gate.record(300)
            try await agent.command("kill")
            try await agent.command("start")
            try await database.command("start")
            try await gate.record(100)
            await gate.stop()
            gate = try await scene.gate(invitation)
            try await gate.record(100)
            try await gate.waitForAll(within: .seconds(90))
            #expect(await gate.cursor().receipt?.count == 2000)
            #expect(try await database.number("select count(*) from gatehouse.visits") == 1000)
            for view in ["gaps", "chain_breaks", "forks"] {
                #expect(try await database.number("select count(*) from gatehouse.\(view)") == 0, "\(view)")
            }

            // One entry is altered at rest. (An entry cannot be altered on the way from this gate, because
            // only the agent can open its envelopes; `Tests/Peers/acapy/keeper_test.py` sends an altered
            // one.)
            func alter(_ result: String, to other: String) async throws -> [JSON] {
                try await database.command(
                    "sql update gatehouse.entry set body = replace(body, '\"result\":\"\(result)\"', '\"result\":\"\(other)\"') "
                        + "where position = 1234")
                return try await database.command("sql select position from gatehouse.chain_breaks")["rows"]?.array
                    ?? []
            }
            #expect(try await alter("accepted", to: "rejected") == [["1234"]])
            #expect(try await alter("rejected", to: "accepted") == [])

            // The operator's database is restored to an earlier hour: the entries after it arrive again,
            // although it gave receipts for them.
            try await database.command("sql delete from gatehouse.entry where position > 1500")
            #expect(try await database.number("select count(*) from gatehouse.visits") == 750)
            await gate.stop()
            gate = try await scene.gate(invitation)
            try await gate.wait("sent again", within: .seconds(60)) {
                (try? await database.number("select count(*) from gatehouse.visits")) == 1000
            }
            #expect(try await database.number("select count(*) from gatehouse.gaps") == 0)
            #expect(await gate.cursor().confirmed == 2000)

            // The current database, witness and key are restored after more was delivered.
            await gate.stop()
            let (ledger, saved) = (place.path("ledger"), place.path("saved"))
            try FileManager.default.copyItem(atPath: ledger, toPath: saved)
            gate = try await scene.gate(invitation)
            try await gate.record(20)
            try await gate.waitForAll()
            let first = await gate.store.head.ledger
            await gate.stop()
            try FileManager.default.removeItem(atPath: ledger)
            try FileManager.default.moveItem(atPath: saved, toPath: ledger)
            gate = try await scene.gate(invitation)
            try await gate.wait("told") { [gate] in gate.faults.contains(.ledgerBehind) }
            // The witness is notified after the fault is raised; a start before that would continue with the
            // old ledger.
            try await gate.wait("found") { [gate] in await gate.store.signedHead?.head.finding != nil }
            await gate.store.updateWitness()
            await gate.stop()
            gate = try await scene.gate(invitation)
            try await gate.record(5)
            try await gate.waitForAll(within: .seconds(60))
            let second = await gate.store.head.ledger
            #expect(second != first)
            let predecessor = try await database.number(
                "select count(*) from gatehouse.visits where ledger = '\(second)' and predecessor = '\(first)'")
            #expect(predecessor == 1)
        }
    }

    /// A regression test: two connections shared 100 reports between them, or sent them all twice.
    @Test(.timeLimit(.minutes(3)))
    func twoDestinationsGetEverythingEach() async throws {
        try await withAgent("two", CloudAgent.versions[0]) { scene in
            try await withAgent("two-others", CloudAgent.newest) { other in
                let gate = try await scene.gate(copy: try await other.invite())
                try await gate.record(100)
                for one in [scene.agent, other.agent] {
                    #expect(try await one.reports(count: 100).count == 100)
                    #expect(one.journal.lines.count { $0["webhook"]?.string == "basicmessages" } == 100, "none twice")
                }
                for name in ["primary", "backup"] as [Text] {
                    try await gate.wait("confirmed \(name)") { await gate.cursor(name).confirmed == gate.end() }
                }
                await gate.stop()
            }
        }
    }
}
