import Encoding
import Foundation
import TestKit
import Testing

/// The process is killed at twenty moments of a pulse of five seconds, and at eight moments of the wait for a
/// passage that no input reports. Each time the record has the credential, the reasons and the opening, and
/// it is not a record of an interruption.
@Suite(.tags(.realTime)) struct PulseKillTests {
    /// The time that writing a decision may take on a busy machine; the first kill is later.
    private static let write: Duration = .milliseconds(100)

    @Test(.timeLimit(.minutes(8))) func whoWasLetInIsOnRecord() async throws {
        try await kill(20, pulse: .seconds(5), fromOpening: true, sections: [:])
    }

    /// The record waits five seconds for a passage, as `door.wait` sets.
    @Test(.timeLimit(.minutes(8))) func whoWasLetInIsOnRecordWhileAPassageIsAwaited() async throws {
        let input = "use = \"passage\"\nline = \"PASSAGE\"\nactive = \"high\"\nbias = \"as-is\""
        try await kill(8, pulse: .milliseconds(500), fromOpening: false, sections: ["[door.input]": input])
    }

    /// Kills the process `kills` times in the five seconds after the gate's opening, or after the end of the
    /// opening.
    private func kill(
        _ kills: Int, pulse: Duration, fromOpening: Bool, sections: [String: String]
    ) async throws {
        // In memory: a killed process loses nothing that it has written, on any file system.
        let place = try Workplace("pulse-kill", isInMemory: true)
        guard let credential = try Credential(place) else { return place.remove() }
        let air = try await Air(place)
        let kiosk = try KioskProcess(
            place, radioPort: air.port, trust: credential.trust,
            sections: sections.merging(["gate": Stall.gate(pulse: pulse)]) { $1 },
            relay: try Stall(place, library: try await Stall.library(place)))
        for number in 0..<kills {
            let id = "life-\(number)"
            let start = kiosk.journal.position
            try kiosk.start()
            let visit = Air.Visit(uri: try await kiosk.invitation(), payload: credential.genuine, settle: 0.05)
            try air.send(visit, id: id)
            try await kiosk.journal.wait(from: start, for: "gate") {
                $0["event"]?.string == "gate" && $0["open"]?.bool == fromOpening
            }
            let share = Double(number) / Double(kills)
            try await Task.sleep(for: Self.write + (.seconds(5) - Self.write * 2) * share)
            try await kiosk.killNow()
            _ = try await air.result(of: id)
        }
        // One more start completes the last visit.
        let start = kiosk.journal.position
        try kiosk.start()
        try await kiosk.journal.wait("advertising", from: start)
        #expect(try await kiosk.terminate() == .exit(0))

        let (code, lines) = try await kiosk.command(["ledger", "list", "--last", "1000"])
        let records = (lines.count == 1 ? lines[0].array ?? lines : lines).filter { $0["kind"]?.string == "outcome" }
        #expect(code == .exit(0) && records.count == kills)
        for record in records {
            #expect(record["result"]?.string == "accepted", "\(record.compactText)")
            #expect(record["credential"]?["name"]?.string != nil && record["intent"]?.int != nil)
            #expect(record["gate"]?["opened"]?.bool == true)
            #expect(record["gate"]?["pulseMs"]?.int == Int(pulse / .milliseconds(1)))
            let codes = (record["reasons"]?.array ?? []).compactMap { $0["code"]?.string }
            #expect(codes.contains("interrupted") && codes.first != "interrupted", "\(codes)")
        }
        #expect(Set(records.compactMap { $0["visit"]?.string }).count == kills)
        // The recorded visits are those of the log, one for each phone.
        let decided = kiosk.journal.events("verdict").compactMap { $0["visit"]?.string }
        #expect(Set(decided) == Set(records.compactMap { $0["visit"]?.string }))
        let (intact, report) = try await kiosk.verifyLedger()
        #expect(intact, "\(report.compactText)")
        try await air.stop()
        place.remove()
    }
}
