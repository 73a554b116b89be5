import Encoding
import Testing

@testable import Kiosk

/// Verdicts that wait for their turn, and other verdicts that arrive meanwhile.
@Suite struct LateTurnTests {
    private let one = VisitID("1")
    private let two = VisitID("2")

    private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test func aPhoneThatHasLeftDelaysNoVisit() {
        var turns = VerdictTurns()
        turns.show(accepted: true, isCredential: true, pulse: .seconds(5), at: at(1000))
        #expect(turns.join(one, came: at(0), isCredential: true, at: at(1500)) == 1)
        #expect(turns.deadline == at(3000))
        turns.keep { $0 != one }
        #expect(turns.deadline == nil && turns.next(at: at(3000)) == nil)
    }

    /// A visitor who came after a green light knows that it was not for him: his verdict waits for the pulse,
    /// and no longer.
    @Test func aLaterVisitorWaitsForThePulseOnly() {
        var turns = VerdictTurns()
        turns.show(accepted: true, isCredential: true, pulse: .milliseconds(200), at: at(1000))
        #expect(turns.join(one, came: at(1001), isCredential: true, at: at(1100)) == 1)
        #expect(turns.deadline == at(1200) && turns.next(at: at(1199)) == nil && turns.next(at: at(1200)) == one)
        #expect(turns.join(two, came: at(999), isCredential: true, at: at(1300)) == 1)
        #expect(turns.deadline == at(2000))
    }

    /// A verdict on something that is no credential waits for all verdicts on credentials, and its red light
    /// is ended by the next verdict almost at once.
    @Test func dataWithoutAnIssuerDelayNoVerdict() {
        var turns = VerdictTurns()
        turns.show(accepted: true, isCredential: true, pulse: .milliseconds(200), at: at(1000))
        #expect(turns.join(one, came: at(0), isCredential: false, at: at(1100)) == 1)
        #expect(turns.join(two, came: at(0), isCredential: true, at: at(1200)) == 1)
        #expect(turns.deadline == at(2000) && turns.next(at: at(2000)) == two)
        turns.show(accepted: true, isCredential: true, pulse: .milliseconds(200), at: at(2000))
        #expect(turns.next(at: at(3000)) == one)
        turns.show(accepted: false, isCredential: false, pulse: .zero, at: at(3000))
        #expect(turns.join(two, came: at(0), isCredential: true, at: at(3100)) == 1)
        #expect(turns.deadline == at(3300))
    }
}
