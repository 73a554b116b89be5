import Appliance
import Credentials
import Encoding
import Foundation
import Kiosk
import Ledger
import Store
import Testing

/// How fast a kiosk empties its ledger into a real agent with the plugin, beside a sender in Python: each message is acknowledged
/// after the far commit before the next one goes.
@Suite(.serialized) struct DeliveryRateTests {
    private static let visits = 10_000

    @Test(.timeLimit(.minutes(5))) func aKioskBesideASimpleSender() async throws {
        guard Workplace.hasDatabase else { return print("skipped: no PostgreSQL (apt-get install postgresql)") }
        let version = Workplace.environment("acapy-1.7.0", "") == nil ? "0.12.8" : "1.7.0"
        let place = try Workplace("rate")
        let database = try Database(place)
        let url = try await database.command("start")["url"]?.string?.string ?? ""
        let agent = try CloudAgent(
            version: version, place,
            options: [
                "--plugin", "verification_report", "--plugin-config-value", "verification_report.database=\(url)",
            ])
        try await agent.command("start")
        let invitation = try await agent.command("invite")["url"]?.string?.string ?? ""
        let kiosk = try KioskProcess(
            place, radioPort: 1, trust: place.path("trust"), invitation: try place.write("invitation", invitation),
            sections: ["log": "path = \"\(place.path("log.jsonl"))\"\nlevel = \"debug\""])
        let ledger = try await fill(try Configuration.load(place.path("gatehouse.toml")))

        let simple = try await simpleSender(version, invitation, place)
        try kiosk.start()
        let first = try await kiosk.journal.wait(within: .seconds(60), for: "connection") {
            Self.says("reports go this way", $0)
        }
        let last = try await kiosk.journal.wait(from: first.next, within: .seconds(200), for: "last confirmation") {
            Self.says("confirmed up to record \(2 * Self.visits)", $0)
        }
        let seconds = try Self.seconds(last.line) - Self.seconds(first.line)
        let rate = Double(2 * Self.visits) / max(seconds, 0.001)
        print(
            "delivery: ACA-Py \(version): \(Int(rate)) entries (\(Int(rate / 2)) reports) a second from one kiosk, "
                + "\(Int(simple)) entries from a sender in Python")
        // The agent is what takes the time; a program that is built for debugging takes some itself.
        #expect(rate > simple / 10)
        #expect(try await kiosk.terminate() == .exit(0))
        #expect(
            try await database.number("select count(*) from gatehouse.visits where ledger = '\(ledger)'") == Self.visits
        )
        for view in ["gaps", "chain_breaks", "forks"] {
            #expect(try await database.number("select count(*) from gatehouse.\(view)") == 0, "\(view)")
        }
        try await agent.stop()
        try await database.stop()
        place.remove()
    }

    /// Records visits as a gate has them; the ledger's id.
    private func fill(_ configuration: Configuration) async throws -> Text {
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
        for _ in 0..<Self.visits / 50 {
            let visits = (0..<50).map { _ in Text(UUID().uuidString.lowercased()) }
            _ = try await store.append(
                visits.map { UnwrittenIntent(visit: $0, stamp: stamp) },
                visits.map { UnwrittenOutcome(visit: $0, outcome: outcome, stamp: stamp) })
        }
        let ledger = await store.head.ledger
        await store.close()
        return ledger
    }

    /// Entries a second of the sender in Python.
    private func simpleSender(_ version: String, _ invitation: String, _ place: Workplace) async throws -> Double {
        let python = try Workplace.requiredEnvironment("acapy-\(version)", "bin/python")
        let script = Workplace.peers.appendingPathComponent("acapy/sender.py").path
        let output = place.path("sender.jsonl")
        let sender = try Child(python, ["-B", script, invitation, "\(Self.visits)"], output: output)
        #expect(try await sender.wait(within: .seconds(200)) == .exit(0))
        let line = try #require(Journal(output).lines.last)
        let seconds = try #require(line["seconds"]?.number.flatMap { Double($0.text) })
        return Double(2 * Self.visits) / max(seconds, 0.001)
    }

    private static func says(_ text: String, _ line: JSON) -> Bool {
        line["event"]?.string == "agent" && line["text"]?.string?.string.hasPrefix(text) == true
    }

    /// The time of a line of the log.
    private static func seconds(_ line: JSON) throws -> Double {
        let time = try #require(line["time"]?.string.flatMap { Timestamp(rfc3339: $0.string) })
        return Double(time.seconds) + Double(time.nanoseconds) / 1e9
    }
}
