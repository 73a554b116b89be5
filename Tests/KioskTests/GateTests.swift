import Encoding
import Testing

@testable import Kiosk

@Suite struct GateTests {
    private let one = VisitID("1")
    private let two = VisitID("2")

    private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test func opensForThePulseAndShutsByItself() {
        var gate = Gate()
        gate.pulse(.milliseconds(200), for: one, at: at(0))
        #expect(gate.command == .open(until: at(200)) && gate.deadline == at(200))
        gate.advance(to: at(199))
        #expect(gate.isOpen && gate.takeEnded().isEmpty)
        gate.advance(to: at(230))
        #expect(!gate.isOpen && gate.command == .shut && gate.deadline == nil)
        #expect(gate.takeEnded() == [Gate.Ended(visit: one, length: .milliseconds(200))])
        #expect(gate.takeEnded().isEmpty)
    }

    /// The relay got its order late: the pulse keeps its length.
    @Test func aPulseThatBeganLateEndsLate() {
        var gate = Gate()
        gate.pulse(.milliseconds(200), for: one, at: at(0))
        gate.delay(by: .milliseconds(70))
        #expect(gate.command == .open(until: at(270)) && gate.deadline == at(270))
        gate.advance(to: at(270))
        #expect(gate.takeEnded() == [Gate.Ended(visit: one, length: .milliseconds(200))])
        gate.delay(by: .milliseconds(70))
        #expect(!gate.isOpen)
    }

    @Test func noPulseIsLongerThanTheHardLimit() {
        var gate = Gate()
        gate.pulse(.seconds(3600), for: one, at: at(0))
        #expect(gate.command == .open(until: at(5000)))
    }

    /// A turnstile counts edges: the second visitor has a pulse of his own, after a gap.
    @Test func theNextPulseBeginsAfterAGap() {
        var gate = Gate()
        gate.pulse(.seconds(5), for: one, at: at(0))
        gate.shut(at: at(850))
        #expect(!gate.isOpen && gate.readyAt == at(970) && gate.deadline == nil)
        gate.pulse(.seconds(5), for: two, at: at(970))
        #expect(gate.command == .open(until: at(5970)) && gate.visit == two)
        gate.advance(to: at(5970))
        #expect(
            gate.takeEnded() == [
                Gate.Ended(visit: one, length: .milliseconds(850)), Gate.Ended(visit: two, length: .seconds(5)),
            ])
    }

    /// The end of the pulse is noticed late. The pulse counts as ended in time, but the gap begins when the
    /// end is noticed, as the relay may be late as well.
    @Test func aPulseWithALateEndCountsAsEndedInTime() {
        var gate = Gate()
        gate.pulse(.milliseconds(200), for: one, at: at(0))
        gate.shut(at: at(900))
        #expect(gate.readyAt == at(1020))
        #expect(gate.takeEnded() == [Gate.Ended(visit: one, length: .milliseconds(200))])
    }

    @Test func withoutAGapThereIsNoPulse() {
        for next in [850, 969] as [Int64] {
            var gate = Gate()
            gate.pulse(.milliseconds(850), for: one, at: at(0))
            gate.pulse(.seconds(5), for: two, at: at(next))
            #expect(!gate.isOpen && gate.deadline == nil)
            #expect(
                gate.takeEnded() == [
                    Gate.Ended(visit: one, length: .milliseconds(850)), Gate.Ended(visit: two, length: nil),
                ])
        }
    }

    /// The relay was ordered to open, so the pulse does not count as never given.
    @Test func aPulseThatEndsAtOnceWasGiven() {
        var gate = Gate()
        gate.pulse(.seconds(5), for: one, at: at(0))
        #expect(gate.isOpen)
        gate.shut(at: at(0))
        #expect(gate.takeEnded() == [Gate.Ended(visit: one, length: .zero)])
    }

    @Test func aPulseOfNothingDoesNotOpen() {
        for length in [Duration.zero, .seconds(-1)] {
            var gate = Gate()
            gate.pulse(length, for: one, at: at(0))
            #expect(!gate.isOpen && gate.takeEnded() == [Gate.Ended(visit: one, length: nil)])
        }
    }
}
