import Encoding
import Foundation
import Ledger
import LinuxIO
import Store
import TestKit
import Testing
import Workbench

@testable import Kiosk

/// The cost of a crowd of strangers for ledger and disk, with the real store and the real rules for records.
@Suite(.tags(.models)) struct RetentionTests {
    private static let software = Outcome.Software(
        name: "gatehouse", version: "0.1.0", trust: "sha256:0123456789abcdef",
        policy: "north-gate@2026-06 sha256:0123456789abcdef")

    private static func outcome(_ result: Outcome.Result, _ codes: [Text]) -> Outcome {
        var outcome = Outcome(
            result, reasons: codes.map { Outcome.Reason($0) },
            gate: result == .accepted ? .pulsed(milliseconds: 200) : .shut, software: software)
        if result != .failed {
            outcome.credential = Outcome.Credential(
                format: "ldp_vc", issuer: "did:web:works.example",
                types: ["VerifiableCredential", "https://works.example/ns#StaffPass"], name: nil,
                validFrom: Timestamp(seconds: 1_735_776_000), validUntil: Timestamp(seconds: 1_798_848_000))
        }
        outcome.session = Outcome.Session(
            transport: "tuvali", milliseconds: 4123, chunks: 3, crcErrors: 0, retries: 0)
        return outcome
    }

    private static let accepted = outcome(.accepted, ["ok"])

    /// Strangers of every kind: phones that break off, complete transfers of garbage, and genuine credentials
    /// that are rejected.
    private struct Strangers {
        private let visits: [(entry: RecordTally.Entry, kind: RecordTally.Kind)]
        private var tally = RecordTally()
        /// The number of strangers so far.
        private(set) var count = 0

        init(credentials: Int) {
            var all: [(RecordPriority, [Text], [UInt8]?)] = []
            for number in 0..<9 { all.append((.junk, ["transfer.disconnected", Text("transfer.\(number)")], nil)) }
            for number in 0..<40 { all.append((.unproven, [Text("garbage.\(number)"), "proof.invalid"], nil)) }
            for number in 0..<credentials {
                all.append((.proven, ["validity.expired"], [UInt8(number & 255), UInt8(number >> 8)]))
            }
            visits = all.map { worth, codes, credential in
                let result: Outcome.Result = worth == .junk ? .failed : .rejected
                return (
                    RecordTally.Entry(outcome: RetentionTests.outcome(result, codes), signedDigests: []),
                    RecordTally.Kind(worth: worth, result: result, codes: codes, credential: credential)
                )
            }
        }

        /// Adds one stranger. Returns the record that it causes; nil: it is only counted.
        mutating func come(at now: Instant) -> Outcome? {
            defer { count += 1 }
            // The factor has no common divisor with the number of kinds, so the kinds are in no regular
            // order.
            let visit = visits[count * 7919 % visits.count]
            return tally.take(visit.entry, as: visit.kind, at: now)?.outcome
        }
    }

    private func stamp(_ second: Int) -> RecordStamp {
        RecordStamp(
            kiosk: "gate-1", boot: "b0070000-0000-4000-8000-000000000000",
            time: WallTime(utc: Timestamp(seconds: 1_767_225_600 + Int64(second)), provenance: .rtc),
            monotonic: Instant(nanoseconds: Int64(second) * 1_000_000_000))
    }

    private func visit(_ number: Int) -> Text { Text("00000000-0000-4000-8000-\(1_000_000_000_000 + number)") }

    /// Two weeks, day and night, with 2,000 admitted visitors a day, and an agent that confirms nothing until
    /// the end.
    ///
    /// Scaled in two ways: the limit is the share of 14 days in the 400 of the default, 70 MB; and one
    /// stranger arrives each second in place of seven, because their cost does not depend on their number
    /// (`RecordTallyTests.aDayOfEverythingIsBounded`).
    @Test func twoWeeksOfGarbageCostNoAcceptedRecord() async throws {
        let folder = MemoryFolder.place("retention")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = StoreOptions()
        let (days, day) = (14, 86_400)
        options.retention.bytes = options.retention.bytes * days / 400
        let store = try await Store.open(folder.appendingPathComponent("gatehouse.sqlite").path, options: options)
        try await store.route(over: "agent")

        var strangers = Strangers(credentials: 20)
        var (waiting, records, letIn): ([UnwrittenOutcome], Int, Set<Text>) = ([], 0, [])
        func write() async throws {
            while !waiting.isEmpty {
                let some = Array(waiting.prefix(100))
                waiting.removeFirst(some.count)
                let intents = some.map { UnwrittenIntent(intent: $0.visit, stamp: $0.stamp) }
                #expect(try await store.append(intents, some) == [:])
            }
        }
        for second in 0..<days * day {
            let now = stamp(second)
            if let outcome = strangers.come(at: now.monotonic) {
                records += 1
                waiting.append(UnwrittenOutcome(visit: visit(records), outcome: outcome, stamp: now))
            }
            // Every 43 s a visitor is admitted.
            if second * 2000 / day != (second + 1) * 2000 / day {
                records += 1
                waiting.append(UnwrittenOutcome(visit: visit(records), outcome: Self.accepted, stamp: now))
                letIn.insert(visit(records))
            }
            if second % 3600 == 3599 {
                try await write()
                try await store.housekeep(at: now.time)
            }
        }
        #expect(letIn.count == days * 2000)
        let size = try await store.room().ledger
        print("retention: \(records - letIn.count) records of \(strangers.count) strangers, \(size) bytes")
        #expect(size <= options.retention.bytes)
        #expect(await store.lostReports == 0)

        // Everything is delivered at the end.
        var (position, delivered): (Int, Set<Text>) = (0, [])
        while true {
            let entries = try await store.entries(after: position, limit: 1000)
            guard let last = entries.last else { break }
            for entry in entries {
                guard case .outcome(let record) = try LedgerRecord(bytes: entry.body) else { continue }
                if record.outcome.result == .accepted { delivered.insert(record.visit) }
                #expect(record.dropped == 0)
            }
            position = last.position
            _ = try await store.confirm(DeliveryCursor.primary, upTo: position, over: "agent")
        }
        #expect(delivered == letIn)
        #expect(await store.owed(to: DeliveryCursor.primary) == 0)
        let report = try await store.verify()
        #expect(report.isIntact && report.start.count == 0 && report.openIntents.isEmpty)
        await store.close()
    }

    /// For one hour, 7 strangers come each second. Together they have 600 genuine credentials. A quiet time
    /// before makes this the worst case. Each record is written alone, as at a quiet gate, and the witness is
    /// notified of each step.
    @Test func anHourOfStrangersWritesLittleToTheDisk() async throws {
        let ledger = try await BenchLedger(below: MemoryFolder.parent)
        var strangers = Strangers(credentials: 600)
        await ledger.store.updateWitness()
        try await ledger.store.copyLog()
        let before = ledger.meter.counts
        var records = 0
        for number in 0..<7 * 3600 {
            let now = Instant.zero.advanced(by: .milliseconds(number * 1000 / 7))
            guard let outcome = strangers.come(at: now) else { continue }
            records += 1
            let intent = IntentID(visit(-records).string)
            let failure = await withCheckedContinuation { answer in
                ledger.recordIntent(intent) { answer.resume(returning: $0) }
            }
            #expect(failure == nil)
            await ledger.store.updateWitness()
            let count = await ledger.store.head.point.count
            let record = VisitRecord(VisitID(visit(records).string), using: intent, outcome)
            ledger.recordOutcome(record, forgetting: [])
            while await ledger.store.head.point.count == count { try await Task.sleep(for: .microseconds(200)) }
            await ledger.store.updateWitness()
        }
        try await ledger.store.copyLog()
        let written = ledger.meter.counts.since(before)
        print("retention: an hour costs \(records) records, \(written.bytes) bytes, \(written.blocks * 4096) in blocks")
        #expect(records > 500 && records < 700)
        #expect(written.blocks * 4096 < 20_000_000 && written.bytes < 20_000_000)
        #expect(await ledger.finish() == 0)
        _ = await ledger.remove()
    }
}
