import Encoding
import GateService
import Kiosk
import LinuxIO
import Reasons
import Testing

/// The messages to systemd about the start.
@Suite struct ReadinessTests {
    private let fault = KioskNote.fault(.gpioFailed, isPresent: true, count: 1, detail: "no chip")

    @Test func aBoxWithAFaultIsReadyToo() throws {
        let manager = try ManagerSocket()
        let output = manager.output
        output.note(fault, of: nil, at: .zero)
        #expect(manager.messages().isEmpty)
        output.note(.advertising(uri: "first"), of: nil, at: .zero)
        #expect(manager.messages() == ["READY=1\nSTATUS=fault.gpio: no chip"])
        output.note(.advertising(uri: "second"), of: nil, at: .zero)
        #expect(manager.messages().isEmpty)
        output.note(.fault(.gpioFailed, isPresent: false, count: 1, detail: nil), of: nil, at: .zero)
        #expect(manager.messages() == ["STATUS=waiting for a phone"])
    }

    @Test func aRadioOutOfOrderIsNoReasonToStartAgain() throws {
        let manager = try ManagerSocket()
        let output = manager.output
        output.note(.radioFailed(.transport(.radioNotFound, "no adapter"), retryIn: .seconds(1)), of: nil, at: .zero)
        output.note(fault, of: nil, at: .zero)
        #expect(
            manager.messages() == [
                "READY=1\nSTATUS=radio out of order: no adapter", "STATUS=fault.gpio: no chip",
            ])
    }
}
