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

    @Test func noPulseIsLongerThanTheHardLimit() {
        var gate = Gate()
        gate.pulse(.seconds(3600), for: one, at: at(0))
        #expect(gate.command == .open(until: at(5000)))
    }

    /// A turnstile counts edges: the second visitor has a pulse of his own, behind a gap.
    @Test func theNextAcceptanceHasAPulseOfItsOwn() {
        var gate = Gate()
        gate.pulse(.seconds(5), for: one, at: at(0))
        gate.pulse(.seconds(5), for: two, at: at(850))
        #expect(!gate.isOpen && gate.visit == two && gate.deadline == at(970))
        #expect(gate.takeEnded() == [Gate.Ended(visit: one, length: .milliseconds(850))])
        gate.advance(to: at(969))
        #expect(!gate.isOpen)
        gate.advance(to: at(975))
        #expect(gate.command == .open(until: at(5975)))
        gate.advance(to: at(5975))
        #expect(gate.takeEnded() == [Gate.Ended(visit: two, length: .seconds(5))])
    }

    @Test func theGapIsLeftBehindAPulseThatIsJustOver() {
        var gate = Gate()
        gate.pulse(.milliseconds(200), for: one, at: at(0))
        gate.pulse(.milliseconds(200), for: two, at: at(210))
        #expect(!gate.isOpen && gate.deadline == at(320))
        gate.advance(to: at(320))
        #expect(gate.command == .open(until: at(520)))
    }

    @Test func aRejectionShutsAndTakesBackWhatHasNotBegun() {
        var gate = Gate()
        gate.pulse(.seconds(5), for: one, at: at(0))
        gate.pulse(.seconds(5), for: two, at: at(100))
        gate.shut(at: at(150))
        #expect(!gate.isOpen && gate.deadline == nil)
        #expect(
            gate.takeEnded() == [
                Gate.Ended(visit: one, length: .milliseconds(100)), Gate.Ended(visit: two, length: nil),
            ])
        gate.advance(to: at(10_000))
        #expect(!gate.isOpen)
    }

    /// The relay was told to open: that is no pulse that was never given.
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
