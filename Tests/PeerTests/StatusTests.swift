import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse status` next to the real service with a radio: in order, without its radio, and while the
/// process is stopped.
@Suite(.tags(.realTime)) struct StatusTests {
    @Test(.timeLimit(.minutes(2)))
    func theServiceSaysHowItIs() async throws {
        let place = try Workplace("status")
        guard let credential = try Credential(place) else { return place.remove() }
        let air = try await Air(place)
        let kiosk = try KioskProcess(place, radioPort: air.port, trust: credential.trust)
        try kiosk.start()
        var day = Day(air: air, kiosk: kiosk)
        try await day.visit("accepted", .init(uri: "", payload: credential.genuine))
        try await day.visit("rejected", .init(uri: "", payload: credential.tampered), reason: "proof.invalid")

        // After the last outcome the disk is idle: before, a part that waits for the disk would be reported
        // as silent.
        #expect(try await kiosk.records(finished: 2).count == 2)
        let (fine, status) = try await kiosk.status()
        #expect(fine == .exit(0), "\(status)")
        #expect(status["state"]?.string == "fine" && status["faults"]?.array == [] && status["silent"]?.array == [])
        #expect(status["radio"]?["state"]?.string == "up" && status["radio"]?["controller"]?.string != nil)
        #expect(status["visits"]?["accepted"]?.int == 1 && status["visits"]?["rejected"]?.int == 1)
        #expect(status["ledger"]?["visits"]?.int == 2 && status["gate"] == .null)
        let text = status.compactText
        #expect(!text.contains("Mary Smith") && !text.contains("1975-08-22"))

        let before = kiosk.journal.position
        try await air.stop()
        try await kiosk.journal.wait(from: before, for: "the fault") {
            $0["event"]?.string == "fault" && $0["code"]?.string == "fault.radio" && $0["present"]?.bool == true
        }
        let (fault, after) = try await kiosk.status()
        #expect(fault == .exit(1) && after["state"]?.string == "fault")
        #expect(after["faults"]?.array?.first?["code"]?.string == "fault.radio")
        #expect(after["light"]?.string == "fault")

        // A stopped program does not answer, and the caller is informed in time.
        try await kiosk.pause()
        let began = ContinuousClock.now
        let (silent, none) = try await kiosk.command(["status"])
        #expect(silent == .exit(2) && none.isEmpty)
        #expect(ContinuousClock.now - began < .seconds(15))
        kiosk.signal(SIGCONT)
        #expect(try await kiosk.terminate() == .exit(0))
        place.remove()
    }
}
