import Appliance
import Credentials
import Encoding
import Foundation
import Kiosk
import Ledger
import LinuxIO
import Store
import Synchronization
import Testing

/// From a ledger on the disk through the service's own delivery to real cloud agents: what they lose, delete and refuse to answer.
@Suite(.serialized) struct DeliveryTests {
    /// Both versions where both are there.
    private static let versions = ["0.12.8"] + (Workplace.environment("acapy-1.7.0", "") == nil ? [] : ["1.7.0"])

    /// 20 of 20 were lost so, without a word.
    @Test(
        .timeLimit(.minutes(4)), arguments: versions.map { ($0, $0 == "1.7.0" ? "hangup" : "delete") })
    func aConnectionThatTheAgentDroppedIsToldAndANewInvitationGoesOn(version: String, how: String) async throws {
        let place = try Workplace("dropped-\(version)")
        let agent = try CloudAgent(version: version, place)
        try await agent.command("start")
        var gate = try await DeliveryGate(place, try await agent.invitation(place))
        try await gate.record(20)
        #expect(try await agent.reports(count: 20).count == 20)
        try await gate.wait("confirmed") { [gate] in await gate.cursor().confirmed == gate.end() }
        let connections = try await agent.command("connections")["results"]?.array ?? []
        // The invitation has a row of its own, which never becomes a connection.
        let active = connections.first { ["active", "completed", "response"].contains($0["state"]?.string) }
        let id = try #require(active?["connection_id"]?.string?.string)
        try await agent.command("\(how) \(id)")

        let dropped = ContinuousClock.now
        try await gate.record(20)
        try await gate.wait("told silent", within: .seconds(60)) { [gate] in gate.faults.contains(.agentSilent) }
        print("delivery: ACA-Py \(version), \(how): told after \(ContinuousClock.now - dropped)")
        #expect(await gate.cursor().confirmed == 40, "what nobody answered for is not confirmed")

        // By a new file in the running service, or by the command beside the stopped one.
        if how == "hangup" {
            _ = try await agent.invitation(place)
        } else {
            await gate.stop()
            let url = try await agent.command("invite")["url"]?.string?.string ?? ""
            let child = try Child(
                Workplace.product, ["agent", "connect", url, "--config", place.path("gatehouse.toml")],
                output: place.path("connect"))
            #expect(try await child.wait(within: .seconds(60)) == .exit(0))
            gate = try await DeliveryGate(place, place.path("invitation"))
        }
        let reports = try await agent.reports(count: 40, within: .seconds(60))
        #expect(Set(reports.map(\.id)).count == 40 && reports.count == 40)
        try await gate.wait("confirmed") { [gate] in await gate.cursor().confirmed == gate.end() }
        #expect(try await gate.store.connections().map(\.id) == [gate.cursor().connection])
        #expect(gate.faults.isEmpty)
        await gate.stop()
        try await agent.stop()
        place.remove()
    }

    /// With an unmodified agent only what dies in its memory is lost, and nothing comes under two ids. A controller that is away
    /// for a while loses nothing.
    @Test(.timeLimit(.minutes(4)), arguments: versions)
    func anAgentThatIsKilledLosesWhatWasInItsMemory(version: String) async throws {
        let place = try Workplace("killed-\(version)")
        let agent = try CloudAgent(version: version, place)
        try await agent.command("start")
        let gate = try await DeliveryGate(place, try await agent.invitation(place))
        try await gate.record(200)
        _ = try await agent.reports(count: 20)
        try await agent.command("kill")
        try await agent.command("start")
        try await gate.wait("confirmed", within: .seconds(60)) { await gate.cursor().confirmed == gate.end() }
        try await Task.sleep(for: .seconds(1))
        let arrived = Set(try agent.reports().map(\.id))
        print("delivery: ACA-Py \(version) killed: \(200 - arrived.count) of 200 died in its memory")
        #expect((168...200).contains(arrived.count))

        try await agent.command("controller down")
        let new = Set(try await gate.record(10).map { Optional($0) })
        try await gate.wait("confirmed") { await gate.cursor().confirmed == gate.end() }
        try await agent.command("controller up")
        // What had been in the memory of the killed agent's controller may come late: more than these is no fault.
        let all = Set(try await agent.reports(count: arrived.count + 10, within: .seconds(60)).map(\.id))
        #expect(all.isSuperset(of: arrived.union(new)))
        await gate.stop()
        try await agent.stop()
        place.remove()
    }

    /// Receipts after the far commit: whatever is stopped or killed on the way, each record is there once. A ledger that is put back
    /// is found by what the agent has, and the next start begins a new one.
    @Test(.timeLimit(.minutes(5)), arguments: versions)
    func receiptsLoseNothingAndFindALedgerThatWasPutBack(version: String) async throws {
        guard Workplace.hasDatabase else { return print("skipped: no PostgreSQL (apt-get install postgresql)") }
        let place = try Workplace("receipts-\(version)")
        let database = try Database(place)
        let url = try await database.command("start")["url"]?.string?.string ?? ""
        let agent = try CloudAgent(
            version: version, place,
            options: [
                "--plugin", "verification_report", "--plugin-config-value", "verification_report.database=\(url)",
            ])
        try await agent.command("start")
        let invitation = try await agent.invitation(place)
        var gate = try await DeliveryGate(place, invitation)
        try await gate.wait("connected") { [gate] in await gate.cursor().connection != nil }
        let began = ContinuousClock.now
        try await gate.record(500)
        let recorded = ContinuousClock.now
        try await gate.wait("confirmed") { [gate] in await gate.cursor().confirmed == gate.end() }
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
        gate = try await DeliveryGate(place, invitation)
        try await gate.record(100)
        try await gate.wait("confirmed", within: .seconds(90)) { [gate] in await gate.cursor().confirmed == gate.end() }
        #expect(await gate.cursor().receipt?.count == 2000)
        #expect(try await database.number("select count(*) from gatehouse.visits") == 1000)
        for view in ["gaps", "chain_breaks", "forks"] {
            #expect(try await database.number("select count(*) from gatehouse.\(view)") == 0, "\(view)")
        }

        // The operator's database is put back to an earlier hour: what it gave receipts for comes again.
        try await database.command("sql delete from gatehouse.entry where position > 1500")
        #expect(try await database.number("select count(*) from gatehouse.visits") == 750)
        await gate.stop()
        gate = try await DeliveryGate(place, invitation)
        try await gate.wait("sent again", within: .seconds(60)) {
            (try? await database.number("select count(*) from gatehouse.visits")) == 1000
        }
        #expect(try await database.number("select count(*) from gatehouse.gaps") == 0)
        #expect(await gate.cursor().confirmed == 2000)

        // Database, witness and key of now, put back after more was delivered.
        await gate.stop()
        let (ledger, saved) = (place.path("ledger"), place.path("saved"))
        try FileManager.default.copyItem(atPath: ledger, toPath: saved)
        gate = try await DeliveryGate(place, invitation)
        try await gate.record(20)
        try await gate.wait("confirmed") { [gate] in await gate.cursor().confirmed == gate.end() }
        let first = await gate.store.head.ledger
        await gate.stop()
        try FileManager.default.removeItem(atPath: ledger)
        try FileManager.default.moveItem(atPath: saved, toPath: ledger)
        gate = try await DeliveryGate(place, invitation)
        try await gate.wait("told") { [gate] in gate.faults.contains(.ledgerBehind) }
        await gate.stop()
        gate = try await DeliveryGate(place, invitation)
        try await gate.record(5)
        try await gate.wait("confirmed", within: .seconds(60)) { [gate] in await gate.cursor().confirmed == gate.end() }
        let second = await gate.store.head.ledger
        #expect(second != first)
        let predecessor = try await database.number(
            "select count(*) from gatehouse.visits where ledger = '\(second)' and predecessor = '\(first)'")
        #expect(predecessor == 1)
        await gate.stop()
        try await agent.stop()
        try await database.stop()
        place.remove()
    }

    /// Two connections used to share 100 reports between them, or to send them all twice.
    @Test(.timeLimit(.minutes(3)))
    func twoDestinationsGetEverythingEach() async throws {
        let place = try Workplace("two")
        let others = try Workplace("two-others")
        let (agent, other) = (
            try CloudAgent(version: Self.versions[0], place), try CloudAgent(version: Self.versions.last ?? "", others)
        )
        try await agent.command("start")
        try await other.command("start")
        let gate = try await DeliveryGate(
            place, try await agent.invitation(place), copy: try await other.invitation(others))
        try await gate.record(100)
        for one in [agent, other] {
            #expect(try await one.reports(count: 100).count == 100)
            #expect(one.journal.lines.count { $0["webhook"]?.string == "basicmessages" } == 100, "none twice")
        }
        for name in ["primary", "backup"] as [Text] {
            try await gate.wait("confirmed \(name)") { await gate.cursor(name).confirmed == gate.end() }
        }
        await gate.stop()
        try await agent.stop()
        try await other.stop()
        place.remove()
        others.remove()
    }
}

extension CloudAgent {
    /// Writes a new invitation into the file that the gate watches; returns its path.
    func invitation(_ place: Workplace) async throws -> String {
        try place.write("invitation", try await command("invite")["url"]?.string?.string ?? "")
    }
}

/// The faults in force, as parts of the box report them.
final class FaultList: Sendable {
    private let present = Mutex<Set<ReasonCode>>([])
    var all: Set<ReasonCode> { present.withLock { $0 } }

    func take(_ report: HealthReport) {
        present.withLock { present in
            if report.isPresent { present.insert(report.code) } else { present.remove(report.code) }
        }
    }
}

/// A ledger and the service that delivers it, without a gate around it.
final class DeliveryGate: Sendable {
    let store: Store
    private let service: AgentService
    private let task: Task<Void, any Error>
    private let list = FaultList()

    private static let software = Outcome.Software(name: "gatehouse", version: "0")
    private static let stamp = RecordStamp(
        kiosk: "Peer-Gate", boot: "b0070000-0000-4000-8000-000000000000",
        time: WallTime(utc: Timestamp(seconds: 1_767_225_600), provenance: .rtc), monotonic: .zero)

    /// The faults in force.
    var faults: Set<ReasonCode> { list.all }

    /// `more`: further lines of `[agent]`.
    init(_ place: Workplace, _ invitation: String, copy: String? = nil, more: String = "") async throws {
        let copies = copy.map { "[[agent.copy]]\nname = \"backup\"\ninvitations = [\"\($0)\"]" } ?? ""
        let text = """
            [kiosk]
            name = "Peer-Gate"
            [ledger]
            path = "\(place.path("ledger/ledger.db"))"
            [agent]
            invitations = ["\(invitation)"]
            allowPlainHTTP = true
            retryFirst = "200ms"
            retryLast = "1s"
            batchDelay = "1s"
            \(more)
            \(copies)
            """
        let configuration = try Configuration.load(try place.write("gatehouse.toml", text))
        let store = try await Store.open(configuration.ledger.path, witness: configuration.ledger.witness([:]))
        try await store.begin(stamp: Self.stamp, software: Self.software)
        let log = try LogSink(.file(place.path("log.jsonl")), minimum: .debug)
        let service = AgentService(
            configuration: configuration, store: store, log: log, report: { [list] in list.take($0) })
        (self.store, self.service) = (store, service)
        task = Task { try await service.run() }
    }

    /// Records so many visits; their ids.
    @discardableResult
    func record(_ count: Int) async throws -> [Text] {
        var visits: [Text] = []
        let outcome = Outcome(.accepted, gate: .pulsed(milliseconds: 200), software: Self.software)
        for _ in 0..<count {
            let visit = Text(UUID().uuidString.lowercased())
            try await store.appendIntent(visit, stamp: Self.stamp)
            try await store.appendOutcome(visit, outcome, stamp: Self.stamp)
            visits.append(visit)
        }
        service.wake()
        return visits
    }

    func end() async -> Int { await store.head.point.count }

    func cursor(_ name: Text = DeliveryCursor.primary) async -> DeliveryCursor {
        await store.deliveries[name] ?? DeliveryCursor(name)
    }

    func wait(
        _ what: String, within limit: Duration = .seconds(30), until isDone: @Sendable () async throws -> Bool
    ) async throws {
        let until = ContinuousClock.now + limit
        while try await !isDone() {
            guard ContinuousClock.now < until else {
                throw PeerFailure("not \(what) within \(limit): \(await cursor()) of \(await end()), \(faults)")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    func stop() async {
        task.cancel()
        _ = await task.result
        await store.close()
    }
}
