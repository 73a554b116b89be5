import Encoding
import Foundation
import TestKit
import Testing

/// The process is killed at twenty moments of a pulse of five seconds. Each time the record has the credential, the reasons and the
/// opening: not a record that something was interrupted, and nothing else.
@Suite(.tags(.realTime)) struct PulseKillTests {
    private static let kills = 20
    private static let pulse: Duration = .seconds(5)
    /// What the write of a decision may take on a busy machine; the first kill comes later.
    private static let write: Duration = .milliseconds(100)

    @Test(.timeLimit(.minutes(8))) func whoWasLetInIsOnRecord() async throws {
        // In memory: a process that is killed loses nothing that it has written, wherever that is.
        let place = try Workplace("pulse-kill", isInMemory: true)
        guard let credential = try Credential(place) else { return place.remove() }
        let air = try await Air(place)
        let kiosk = try KioskProcess(
            place, radioPort: air.port, trust: credential.trust,
            sections: ["gate": Stall.gate(pulse: Self.pulse)],
            relay: try Stall(place, library: try await Stall.library(place)))
        for number in 0..<Self.kills {
            let id = "life-\(number)"
            let start = kiosk.journal.position
            try kiosk.start()
            let visit = Air.Visit(uri: try await kiosk.invitation(), payload: credential.genuine, settle: 0.05)
            try air.send(visit, id: id)
            try await kiosk.journal.wait(from: start, for: "opening") {
                $0["event"]?.string == "gate" && $0["open"]?.bool == true
            }
            let share = Double(number) / Double(Self.kills)
            try await Task.sleep(for: Self.write + (Self.pulse - Self.write * 2) * share)
            try await kiosk.killNow()
            _ = try await air.result(of: id)
        }
        // One more start closes what the last one left.
        let start = kiosk.journal.position
        try kiosk.start()
        try await kiosk.journal.wait("advertising", from: start)
        #expect(try await kiosk.terminate() == .exit(0))

        let (code, lines) = try await kiosk.command(["ledger", "list", "--last", "1000"])
        let records = (lines.count == 1 ? lines[0].array ?? lines : lines).filter { $0["kind"]?.string == "outcome" }
        #expect(code == .exit(0) && records.count == Self.kills)
        for record in records {
            #expect(record["result"]?.string == "accepted", "\(record.compactText)")
            #expect(record["credential"]?["name"]?.string != nil && record["intent"]?.int != nil)
            #expect(record["gate"]?["opened"]?.bool == true && record["gate"]?["pulseMs"]?.int == 5000)
            let codes = (record["reasons"]?.array ?? []).compactMap { $0["code"]?.string }
            #expect(codes.contains("interrupted") && codes.first != "interrupted", "\(codes)")
        }
        #expect(Set(records.compactMap { $0["visit"]?.string }).count == Self.kills)
        // The visits are those of the log, each the one of its own phone.
        let decided = kiosk.journal.events("verdict").compactMap { $0["visit"]?.string }
        #expect(Set(decided) == Set(records.compactMap { $0["visit"]?.string }))
        let (intact, report) = try await kiosk.verifyLedger()
        #expect(intact, "\(report.compactText)")
        try await air.stop()
        place.remove()
    }
}
