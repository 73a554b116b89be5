import Credentials
import Encoding
import Features
import Foundation
import GateService
import Kiosk
import Ledger
import Settings
import Store
import TestKit
import Testing

/// Measures how fast a kiosk delivers its ledger to a real agent, compared with a sender in Python that does
/// the same right before it.
@Suite(.serialized, .tags(.realTime, .agents)) struct DeliveryRateTests {
    /// Whether the program under test is a release build, as it is installed; a debug build is slower.
    private static let isInstalled = Workplace.product.contains("/release/")
    private static let version = CloudAgent.newest
    /// The resident bytes of its own that the program may have after it has delivered everything.
    private static let memory = 32 << 20

    /// With the plugin: the agent acknowledges each message after its commit before the kiosk sends the next
    /// one.
    @Test(.timeLimit(.minutes(10))) func recordsComparedWithASimpleSender() async throws {
        guard Workplace.hasDatabase else { return print("skipped: no PostgreSQL (apt-get install postgresql)") }
        let (place, visits) = (try Workplace("rate"), 10_000)
        let database = try Database(place)
        let url = try await database.command("start")["url"]?.string?.string ?? ""
        let plugin = [
            "--plugin", "verification_report", "--plugin-config-value", "verification_report.database=\(url)",
        ]
        // The agent is the bottleneck.
        let ledger = try await expectRate(
            plugin, visits: visits, unit: "entries", perVisit: 2, atLeast: Self.isInstalled ? 0.5 : 0.1)
        #expect(try await database.number("select count(*) from gatehouse.visits where ledger = '\(ledger)'") == visits)
        for view in ["gaps", "chain_breaks", "forks"] {
            #expect(try await database.number("select count(*) from gatehouse.\(view)") == 0, "\(view)")
        }
        try await database.stop()
        place.remove()
    }

    /// To an unmodified agent: a basic message for each report, and a ping after some of them.
    @Test(.timeLimit(.minutes(10))) func singleReportsComparedWithASimpleSender() async throws {
        _ = try await expectRate([], visits: 1000, unit: "reports", perVisit: 1, atLeast: Self.isInstalled ? 0.25 : 0.1)
    }

    /// Expects that the best of three measurements has at least `share` of the sender's rate: other work on
    /// the machine slows one of two consecutive runs and speeds up neither. Returns the ledger of the last
    /// measurement.
    private func expectRate(
        _ options: [String], visits: Int, unit: String, perVisit: Int, atLeast share: Double
    ) async throws -> Text {
        var (best, attempts, ledger) = (0.0, 0, Text(""))
        repeat {
            let place = try Workplace("rate")
            let measured = try await measure(
                place, options, visits: visits, unit: unit, perVisit: perVisit, atLeast: share)
            place.remove()
            (best, ledger) = (max(best, measured.rate.kiosk / measured.rate.sender), measured.ledger)
            attempts += 1
        } while best <= share && attempts < 3
        #expect(best > share)
        return ledger
    }

    /// Lets first the sender and then a kiosk with as many visits deliver to an agent with these options.
    private func measure(
        _ place: Workplace, _ options: [String], visits: Int, unit: String, perVisit: Int, atLeast share: Double
    ) async throws -> (ledger: Text, rate: (kiosk: Double, sender: Double)) {
        let agent = try CloudAgent(version: Self.version, place, options: options)
        try await agent.command("start")
        let invitation = try await agent.command("invite")["url"]?.string?.string ?? ""
        let kiosk = try KioskProcess(
            place, radioPort: 1, trust: place.path("trust"), invitation: try place.write("invitation", invitation),
            sections: ["log": "path = \"\(place.path("log.jsonl"))\"\nlevel = \"debug\""])
        let ledger = try await fill(try Configuration.load(place.path("gatehouse.toml")), visits: visits)
        let time = try await simpleSender(invitation, visits, isSingle: options.isEmpty, place)
        var sender = Double(visits * perVisit) / time
        try kiosk.start()
        let first = try await kiosk.journal.wait(within: .seconds(60), for: "connection") {
            Self.says("reports are sent over this connection", $0)
        }
        let last = try await kiosk.journal.wait(from: first.next, within: .seconds(200), for: "last confirmation") {
            Self.says("confirmed up to position \(2 * visits)", $0)
        }
        let seconds = try Self.seconds(last.line) - Self.seconds(first.line)
        let rate = Double(visits * perVisit) / max(seconds, 0.001)
        let resident = try #require(kiosk.resident)
        print(
            "delivery: ACA-Py \(Self.version): \(Int(rate)) \(unit) a second from one kiosk "
                + "(\(resident.own >> 20) MB of its own, \(resident.all >> 20) MB with its program's pages), "
                + "\(Int(sender)) from a sender in Python")
        if Self.isInstalled { #expect(resident.own <= Self.memory) }
        #expect(try await kiosk.terminate() == .exit(0))
        if rate <= share * sender {
            // Other work may have started after the sender's run. It then also slows a second run of the
            // sender.
            let time = try await simpleSender(invitation, visits, isSingle: options.isEmpty, place)
            sender = min(sender, Double(visits * perVisit) / time)
            print("delivery: \(Int(sender)) from the slower sender of two")
        }
        try await agent.stop()
        return (ledger, (rate, sender))
    }

    /// Records visits as a gate does; returns the ledger's id.
    private func fill(_ configuration: Configuration, visits: Int) async throws -> Text {
        let store = try await Store.open(configuration.ledger.path, witness: configuration.ledger.witness([:]))
        let stamp = RecordStamp(
            kiosk: "Peer-Gate", boot: "b0070000-0000-4000-8000-000000000000",
            time: WallTime(utc: Timestamp(seconds: 1_767_225_600), provenance: .rtc), monotonic: .zero)
        var outcome = Outcome(
            .accepted, gate: .pulsed(milliseconds: 200), software: Outcome.Software(name: "gatehouse", version: "0"))
        outcome.reasons = [Outcome.Reason("ok")]
        outcome.credential = Outcome.Credential(
            format: "ldp_vc", issuer: "did:web:works.example", types: ["VerifiableCredential", "StaffPass"],
            validFrom: Timestamp(seconds: 1_735_776_000), validUntil: Timestamp(seconds: 1_798_848_000))
        outcome.session = Outcome.Session(transport: "tuvali", milliseconds: 4123, chunks: 3, crcErrors: 0, retries: 0)
        for _ in 0..<visits / 50 {
            let visits = (0..<50).map { _ in Text(UUID().uuidString.lowercased()) }
            let refused = try await store.append(
                visits.map { UnwrittenIntent(intent: $0, stamp: stamp) },
                visits.map { UnwrittenOutcome(visit: $0, outcome: outcome, stamp: stamp) })
            #expect(refused.isEmpty)
        }
        let ledger = await store.head.ledger
        await store.close()
        return ledger
    }

    /// Returns the seconds that the sender in Python takes.
    private func simpleSender(
        _ invitation: String, _ visits: Int, isSingle: Bool, _ place: Workplace
    ) async throws -> Double {
        let python = try Workplace.requiredEnvironment("acapy-\(Self.version)", "bin/python")
        let script = Workplace.peers.appendingPathComponent("acapy/sender.py").path
        let output = place.path("sender.jsonl")
        let words = ["-B", script, invitation, "\(visits)"] + (isSingle ? ["single"] : [])
        let sender = try Child(python, words, output: output)
        #expect(try await sender.wait(within: .seconds(200)) == .exit(0))
        let line = try #require(Journal(output).lines.last)
        return max(try #require(line["seconds"]?.number.flatMap { Double($0.text) }), 0.001)
    }

    private static func says(_ text: String, _ line: JSON) -> Bool {
        line["event"]?.string == "agent" && line["text"]?.string?.string.hasPrefix(text) == true
    }

    /// Returns the time of an event line in seconds.
    private static func seconds(_ line: JSON) throws -> Double {
        let time = try #require(line["time"]?.string.flatMap { Timestamp(rfc3339: $0.string) })
        return Double(time.seconds) + Double(time.nanoseconds) / 1e9
    }
}
