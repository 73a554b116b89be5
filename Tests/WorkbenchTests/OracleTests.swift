import Encoding
import Kiosk
import Testing
import Tuvali
import Workbench

/// A debug build of the service ends before it breaks a rule.
@Suite struct OracleTests {
    @Test func aBreachEndsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            let observe = Oracle.asserting(KioskSettings(name: try Identifier("Oracle"), softwareVersion: "test"))
            observe(.start, [.gate(.open(until: Instant(nanoseconds: 200_000_000)))], .zero, .zero)
        }
    }

    @Test func aCorrectRunContinues() async {
        await #expect(processExitsWith: .success) {
            let observe = Oracle.asserting(KioskSettings(name: try Identifier("Oracle"), softwareVersion: "test"))
            observe(.start, [.openTransport], .zero, .zero)
        }
    }
}
