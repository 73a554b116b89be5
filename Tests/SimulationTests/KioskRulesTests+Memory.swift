import Credentials
import Encoding
import Kiosk
import Ledger
import Simulation
import Testing

/// The oracle's memory and its bounds.
extension KioskRulesTests {
    /// The oracle remembers an unused intent, even if many visits began and ended since the request.
    @Test func anIntentIsRememberedUntilItsOutcome() throws {
        var day = Self.day
        day.insert(contentsOf: Self.others(0..<100, at: 1003), at: 3)
        #expect(try broken(day) == [])
    }

    /// A visitor arrives before many others and is admitted after them. The oracle remembers the visit while the gate
    /// repeats the verdict to the wallet and further phones connect.
    @Test func aVisitIsRememberedFromItsRecordOn() throws {
        var day = Self.day
        let again = Turn(at: 2105, event: .timer, actions: [Self.status(0)], deadline: 2205)
        day.insert(contentsOf: Self.others(100..<130, at: 2100, deadline: 2205) + [again], at: 5)
        day.insert(contentsOf: Self.others(0..<100, at: 1003), at: 3)
        #expect(try broken(day) == [])
    }

    /// The oracle also remembers a rejected visitor whose visit is only counted.
    @Test func aVisitThatIsOnlyCountedIsRememberedFromItsVerdictOn() throws {
        var day = Self.day
        day[4].event = .verified(Self.first, Self.verdict(.reject))
        day[4].actions = [
            .signal(Signal([.red]), .rejected, nil), Self.status(1), Self.decided(Self.first, accepted: false),
            Self.ended(Self.first),
        ]
        day[5] = Turn(at: 2205, event: .timer, actions: [Self.status(1)])
        day.insert(contentsOf: Self.others(100..<130, at: 2100, deadline: 2205), at: 5)
        day.insert(contentsOf: Self.others(0..<100, at: 1003), at: 3)
        #expect(try broken(day) == [])
    }

    /// Turns of visitors whose visits fail at once.
    private static func others(_ numbers: Range<Int>, at time: Int64, deadline: Int64 = 10_000) -> [Turn] {
        numbers.map { number in
            let other = VisitID("\(number)")
            return Turn(
                at: time, event: .received([]),
                actions: [
                    .note(.phoneConnected, other), .recordIntent(intent(other)), identified(other),
                    record(other, outcome(.failed)), ended(other),
                ], deadline: deadline)
        }
    }

    @Test func theMemoryOfTheRulesIsBounded() throws {
        var rules = try Self.rules()
        for number in 0..<10_000 as Range<Int64> {
            let turn = Self.record(VisitID("\(number)"), Self.outcome(.failed))
            let broken = rules.watch(.received([]), [turn], deadline: nil, at: Instant(nanoseconds: number))
            #expect(broken == [])
        }
        #expect("\(rules)".utf8.count < 50_000)
    }
}
