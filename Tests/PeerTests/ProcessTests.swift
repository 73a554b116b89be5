import Encoding
import Foundation
import TestKit
import Testing

/// The real process without peers.
@Suite(.tags(.realTime)) struct ProcessTests {
    @Test(.timeLimit(.minutes(1)))
    func aMisspeltKeyEndsItWithItsPlaceAndARemedy() async throws {
        let place = try Workplace("misspelt")
        let file = try place.write("gatehouse.toml", "[kiosk]\nname = \"Gate\"\n\n[gate]\npluse = \"1s\"\n")
        let child = try Child(
            Workplace.product, ["run", "--config", file], output: place.path("output"), isGuarded: true)
        #expect(try await child.wait(within: .seconds(20)) == .exit(2))
        let text = try String(contentsOfFile: place.path("output"), encoding: .utf8)
        #expect(text.contains("gatehouse.toml:5") && text.contains("gate.pluse"), "\(text)")
        place.remove()
    }

    @Test(.timeLimit(.minutes(1)))
    func withoutARadioItSaysSoTriesAgainAndEndsInOrder() async throws {
        let place = try Workplace("no-radio")
        guard let credential = try Credential(place) else { return place.remove() }
        // No server listens on port 1 of the loopback address.
        let kiosk = try KioskProcess(place, radioPort: 1, trust: credential.trust)
        try kiosk.start()
        let first = try await kiosk.journal.wait("radio.failed")
        try await kiosk.journal.wait("radio.failed", from: first.next)
        #expect(kiosk.isRunning)
        try await kiosk.journal.wait(for: "the fault on the light") { $0["pattern"]?.string == "fault" }
        #expect(try await kiosk.terminate() == .exit(0))
        #expect(kiosk.journal.events("signal").last?["lamps"]?.array?.isEmpty == true)
        place.remove()
    }

    /// The database is deleted while the service runs: the gate then opens for no credential, events are kept in
    /// the reserve, the end reports the loss, and the next start adds the reserve to its ledger.
    @Test(.timeLimit(.minutes(2)))
    func aDeletedDatabaseAdmitsNoVisitorAndLosesNothing() async throws {
        let place = try Workplace("deleted")
        guard let credential = try Credential(place) else { return place.remove() }
        let air = try await Air(place)
        let kiosk = try KioskProcess(place, radioPort: air.port, trust: credential.trust)
        try kiosk.start()
        var day = Day(air: air, kiosk: kiosk)
        try await day.visit("accepted", .init(uri: "", payload: credential.genuine))
        #expect(try await kiosk.records(finished: 1).map(\.result) == ["accepted"])
        for ending in ["", "-wal", "-shm"] {
            try FileManager.default.removeItem(atPath: place.path("ledger.db" + ending))
        }
        let refused = Air.Visit(uri: "", payload: credential.genuine)
        try await day.visit("rejected", refused, reason: "ledger.unavailable")
        try await day.visit("rejected", refused, reason: "ledger.unavailable")
        #expect(try await kiosk.terminate() == .exit(1))
        let text = try String(contentsOfFile: place.path("output"), encoding: .utf8)
        #expect(text.contains("did not accept 2 records") && text.contains("ledger.db.reserve"), "\(text)")

        let before = kiosk.journal.lines.count
        try kiosk.start()
        let started = try await kiosk.journal.wait("started", from: before)
        #expect(started.line["restored"]?.int == 2)
        // A new ledger begins with a record of the lost one; an accepted visit still counts in its numbers.
        let records = try await kiosk.records()
        #expect(records.map(\.result) == ["failed", "rejected", "rejected"])
        #expect(records.allSatisfy { ($0.seq ?? 0) > 1000 })
        // Once the kiosk advertises, it handles signals. Its control socket and the findings of the opening
        // follow independently.
        _ = try await kiosk.journal.wait("advertising", from: before)
        var isTold = false
        for _ in 0..<200 where !isTold {
            let faults = try await kiosk.command(["status"]).lines.first?["faults"]?.array ?? []
            isTold = faults.contains { $0["code"] == "fault.ledger-rewritten" }
            if !isTold { try await Task.sleep(for: .milliseconds(20)) }
        }
        #expect(isTold)
        #expect(try await kiosk.terminate() == .exit(0))
        try await air.stop()
        place.remove()
    }
}
