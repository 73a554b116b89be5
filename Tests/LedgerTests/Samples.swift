import Encoding

@testable import Ledger

/// Records that the tests share.
enum Samples {
    static let software = Outcome.Software(name: "gatehouse", version: "0.1.0", trust: "t7", policy: "p3")

    static func visit(_ number: Int) -> Text {
        let digits = String(number)
        return Text("00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)
    }

    static func stamp(_ second: Int64 = 0) -> RecordStamp {
        RecordStamp(
            kiosk: "gate-1", boot: "b0070000-0000-4000-8000-000000000000",
            time: WallTime(utc: Timestamp(seconds: 1_767_225_600 + second, nanoseconds: 250_000_000), provenance: .rtc),
            monotonic: Instant(nanoseconds: 5_000_000_000 + second))
    }

    static let accepted = Outcome(
        .accepted,
        credential: Outcome.Credential(
            format: "ldp_vc", issuer: "did:web:example.org", types: ["VerifiableCredential", "Pass"],
            name: "cd34", validFrom: Timestamp(seconds: 86_399, nanoseconds: 123_000_000), validUntil: nil),
        session: Outcome.Session(transport: "tuvali", milliseconds: 812, chunks: 3, crcErrors: 1, retries: 0),
        gate: .pulsed(milliseconds: 200), software: software)

    static let rejected = Outcome(
        .rejected,
        reasons: [Outcome.Reason("validity.expired", pointer: "/validUntil"), Outcome.Reason("trust.stale")],
        gate: .shut, software: software)

    /// Returns a ledger of `visits` visits: two in three have an intent, and with `lastOpen` the last visit
    /// is open.
    static func chain(visits: Int, lastOpen: Bool = false) throws -> (head: LedgerHead, entries: [LedgerEntry]) {
        var head = LedgerHead(
            ledger: "1ed6e000-0000-4000-8000-000000000000",
            point: .genesis(ledger: "1ed6e000-0000-4000-8000-000000000000"))
        var entries: [LedgerEntry] = []
        for number in 1...visits {
            if number % 3 != 0 { entries.append(try head.appendIntent(visit(number), stamp: stamp(Int64(number)))) }
            if number == visits, lastOpen { break }
            let outcome = number.isMultiple(of: 2) ? rejected : accepted
            entries.append(try head.appendOutcome(visit(number), outcome, stamp: stamp(Int64(number) + 1)).entry)
        }
        return (head, entries)
    }
}
