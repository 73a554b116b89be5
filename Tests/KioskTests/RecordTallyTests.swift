import Encoding
import Kiosk
import Ledger
import Testing

@testable import Kiosk

/// The visits without an opening that get a record of their own, and the counting of the others.
@Suite struct RecordTallyTests {
    private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    private func entry(_ code: Text, _ result: Outcome.Result = .rejected) -> RecordTally.Entry {
        RecordTally.Entry(
            outcome: Outcome(
                result, reasons: [Outcome.Reason(code)], gate: .shut,
                software: Outcome.Software(name: "gatehouse", version: "test")), signedDigests: [])
    }

    private func kind(_ worth: RecordPriority, _ code: Text, _ credential: UInt8? = nil) -> RecordTally.Kind {
        RecordTally.Kind(
            worth: worth, result: worth == .junk ? .failed : .rejected, codes: [code],
            credential: credential.map { [$0] })
    }

    /// Returns how many visits were only counted before this one, or nil if this one is only counted, too.
    private func take(
        _ tally: inout RecordTally, _ worth: RecordPriority, _ code: Text, _ second: Int64, credential: UInt8? = nil
    ) -> Int? {
        tally.take(entry(code), as: kind(worth, code, credential), at: at(second))?.outcome.repeated
    }

    @Test func oneJunkOfAKindIsRecordedAMinute() {
        var tally = RecordTally()
        #expect(take(&tally, .junk, "a", 0) == 0)
        #expect(take(&tally, .junk, "b", 1) == 0)
        for second in 2..<60 as Range<Int64> { #expect(take(&tally, .junk, "a", second) == nil) }
        let next = tally.take(entry("a"), as: kind(.junk, "a"), at: at(60))
        #expect(next?.outcome.repeated == 58 && next?.outcome.repeatedSpan == at(2)...at(59))
        #expect(take(&tally, .junk, "b", 3600) == 0)
        #expect(tally.takeNext(at: at(3600)) == nil && tally.waitsSince == nil)
    }

    @Test func theFirstRejectionsOfAKindAreRecordedOneByOneAndTheOthersTogether() {
        var tally = RecordTally()
        let each = RecordPriority.unproven.each
        for second in 0..<600 as Range<Int64> {
            let isRecorded = take(&tally, .unproven, "proof.invalid", second) != nil
            #expect(isRecorded == (second < Int64(each)), "second \(second)")
        }
        let next = tally.take(entry("proof.invalid"), as: kind(.unproven, "proof.invalid"), at: at(600))
        #expect(next?.outcome.repeated == 600 - each)
        #expect(next?.outcome.repeatedSpan == at(Int64(each))...at(599))
    }

    /// Whatever kinds of garbage arrive, a genuine credential that is refused gets a record of its own, and
    /// so does every further one.
    @Test func garbageHidesNoEvidence() {
        var tally = RecordTally()
        for number in 0..<25_200 as Range<Int64> {
            _ = take(&tally, .unproven, Text("garbage \(number % 40)"), number / 7)
            _ = take(&tally, .junk, Text("junk \(number % 9)"), number / 7)
            // One genuine card is shown again and again.
            _ = take(&tally, .proven, "validity.expired", number / 7, credential: 1)
        }
        for person in 2...20 as ClosedRange<UInt8> {
            #expect(take(&tally, .proven, "validity.expired", 3600, credential: person) == 0, "person \(person)")
        }
        #expect(take(&tally, .proven, "status.revoked", 3600, credential: 1) == 0)
    }

    /// Repeating one kind of garbage does not hide another kind.
    @Test func oneKindLeavesRoomForOthers() {
        var tally = RecordTally()
        for number in 0..<25_200 as Range<Int64> { _ = take(&tally, .unproven, "proof.invalid", number / 7) }
        for code in ["issuer.untrusted", "shape.members", "syntax.json"] as [Text] {
            #expect(take(&tally, .unproven, code, 3600) == 0, "\(code)")
        }
    }

    /// Every visit is counted once, in a record of its own or in another.
    @Test func nothingIsCountedTwiceOrForgotten() {
        var tally = RecordTally()
        var told = 0
        let visits = 86_400 as Int64
        for second in 0..<visits {
            for (worth, code) in [(.junk, "a"), (.unproven, "b"), (.proven, "c")] as [(RecordPriority, Text)] {
                guard let before = take(&tally, worth, code, second) else { continue }
                told += 1 + before
            }
        }
        while let rest = tally.takeNext(at: at(visits)) { told += 1 + rest.outcome.repeated }
        #expect(told == 3 * Int(visits))
    }

    /// The bounds of the table in docs/retention.md hold, and the number of records does not depend on the
    /// number of visits.
    @Test(arguments: [1, 7] as [Int64]) func aDayOfEverythingIsBounded(_ each: Int64) {
        var records: [RecordPriority: Int] = [:]
        var tally = RecordTally()
        for second in 0..<86_400 as Range<Int64> {
            for number in 0..<each {
                for worth in RecordPriority.allCases {
                    let code = Text("kind \((second + number) % 5)")
                    if take(&tally, worth, code, second, credential: 1) != nil { records[worth, default: 0] += 1 }
                }
            }
        }
        for worth in RecordPriority.allCases {
            let most = worth.allowance.burst + Int(Duration.seconds(86_400) / worth.allowance.period)
            #expect(records[worth, default: 0] <= most && records[worth, default: 0] > 0, "\(worth): \(records)")
        }
        print("records of a day, \(each) of each kind a second: \(records)")
    }

    /// A rare kind is recorded within an hour, however many visits there are of other kinds.
    @Test func smallKindsAreReportedToo() {
        var tally = RecordTally()
        for _ in 0..<2 { _ = take(&tally, .junk, "few", 0) }
        for second in 1..<3600 as Range<Int64> { _ = take(&tally, .junk, "many", second) }
        #expect(tally.takeNext(at: at(3600))?.outcome.reasons.map(\.code) == ["many"])
        for second in 3601..<3700 as Range<Int64> { _ = take(&tally, .junk, "many", second) }
        #expect(tally.takeNext(at: at(3700))?.outcome.reasons.map(\.code) == ["few"])
    }

    /// New kinds arrive endlessly.
    @Test func kindsAreBounded() {
        var tally = RecordTally()
        var told = 0
        for number in 0..<10_000 as Range<Int64> {
            if let before = take(&tally, .unproven, Text("kind \(number)"), number) { told += 1 + before }
        }
        var rest = 0
        while let counted = tally.takeNext(at: at(10_000)) {
            (told, rest) = (told + 1 + counted.outcome.repeated, rest + 1)
        }
        #expect(told == 10_000 && rest <= RecordPriority.unproven.kinds + 1)
    }
}
