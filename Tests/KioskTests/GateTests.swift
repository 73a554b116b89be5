import Encoding
import Kiosk
import Testing

@Suite struct GateTests {
    private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test func opensForThePulseAndShutsByItself() {
        var gate = Gate()
        gate.open(for: .milliseconds(200), at: at(0))
        gate.advance(to: at(199))
        #expect(gate.isOpen)
        gate.advance(to: at(200))
        #expect(!gate.isOpen)
    }

    @Test func noPulseIsLongerThanTheHardLimit() {
        var gate = Gate()
        gate.open(for: .seconds(3600), at: at(0))
        #expect(gate.deadline == at(5000))
    }

    @Test func askingAgainCannotHoldItOpen() {
        var gate = Gate()
        for tenth in 0..<(50 as Int64) {
            gate.open(for: .seconds(5), at: at(tenth * 100))
            #expect(gate.deadline == at(5000))
        }
        gate.open(for: .seconds(1), at: at(5000))
        #expect(gate.deadline == at(6000))  // the first opening is over: this is another one
    }

    @Test func aPulseOfNothingDoesNotOpen() {
        var gate = Gate()
        gate.open(for: .zero, at: at(0))
        #expect(!gate.isOpen)
        gate.open(for: .seconds(-1), at: at(0))
        #expect(!gate.isOpen)
    }
}
