import Encoding
import TestKit
import Testing

/// Two visits at the program that was built with these tests, whatever `GATEHOUSE_BINARY` names: a debug
/// build, which traps where the kiosk violates one of its own invariants.
@Suite(.tags(.realTime)) struct DebugProgramTests {
    @Test(.timeLimit(.minutes(2)))
    func twoVisitsBreakNoRuleOfTheKiosk() async throws {
        let place = try Workplace("debug")
        guard let credential = try Credential(place) else { return place.remove() }
        let air = try await Air(place)
        let kiosk = try KioskProcess(
            place, radioPort: air.port, trust: credential.trust, program: Workplace.debugProduct)
        try kiosk.start()
        var day = Day(air: air, kiosk: kiosk)
        try await day.visit("accepted", .init(uri: "", payload: credential.genuine, lose: [2]))
        try await day.visit("rejected", .init(uri: "", payload: credential.tampered), reason: "proof.invalid")
        #expect(try await kiosk.records(finished: 2).map(\.result) == ["accepted", "rejected"])
        try await day.close()
        try await air.stop()
        place.remove()
    }
}
