import Encoding
import Foundation
import GRDB
import Ledger
import TestKit
import Testing

@testable import Store

/// Changes every field, row and table of a witnessed database, one at a time. The attacker can write the file and knows
/// the format, but lacks the key. Each change is found, or changes nothing in a list, a proof or a report.
@Suite(.serialized, .tags(.models)) struct TamperingTests {
    /// The information that the database gives to a reader.
    private struct Told: Equatable {
        var list: [String]
        var verify: [String]
        var cursors: [String]
        var figures: [String]
    }

    /// The result of a change.
    private enum Fate { case found, harmless, missed, impossible }

    private final class Scene {
        let witnessed: WitnessedLedger
        let queue: DatabaseQueue
        let proof: Proof
        let before: Told

        init(_ options: StoreOptions) async throws {
            witnessed = try await WitnessedLedger(options)
            // The form of version 12 has all tables of the present form, and those about agents.
            try OldForm.restore(witnessed.folder.database, rowsOf: witnessed.folder.courier)
            let key = try #require(try witnessed.source.key())
            proof = Proof(key: key, witness: witnessed.source.reading(key))
            queue = try DatabaseQueue(path: witnessed.folder.database)
            before = try await queue.read { [proof] db in try Self.told(db, proof) }
        }

        static func told(_ db: Database, _ proof: Proof) throws -> Told {
            let report = try LedgerAudit.whole(db, checkpoints: [], limits: LedgerLimits(), proof: proof)
            let visits = try LedgerQueries.visits(db, last: 1000)
            let books = try LedgerFigures.read(db, limits: LedgerLimits(), key: nil)?.books
            return Told(
                list: visits.map { LedgerListing.json($0, remedy: nil) }, verify: report.lines,
                cursors: try LedgerFigures.cursors(db).values.map {
                    "\($0.destination) \($0.confirmed) \($0.connection ?? "-")"
                }.sorted(),
                figures: [
                    "\(books?.state.dropped ?? -1)", "\(books?.head.point.nextSeq ?? -1)",
                    "\(books?.clock?.rfc3339 ?? "")",
                ])
        }

        /// Makes the change, examines the database, and rolls the change back.
        func fate(of change: (Database) throws -> Void) throws -> Fate {
            var fate = Fate.impossible
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
                try db.inTransaction {
                    do {
                        try change(db)
                        if db.changesCount == 0 { return .rollback }
                    } catch {
                        return .rollback  // STRICT or UNIQUE forbid it
                    }
                    do {
                        let report = try LedgerAudit.whole(db, checkpoints: [], limits: LedgerLimits(), proof: proof)
                        if !report.isIntact {
                            fate = .found
                        } else {
                            fate = try Self.told(db, proof) == before ? .harmless : .missed
                        }
                    } catch {
                        fate = .found  // reported as damaged
                    }
                    return .rollback
                }
            }
            return fate
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: [false, true])
    func everyFieldOfEveryRow(isEvicted: Bool) async throws {
        var options = StoreOptions()
        if isEvicted {
            (options.retention.entries, options.retention.hardEntries, options.evictionBatch) = (20, 24, 2)
        }
        let scene = try await Scene(options)
        #expect(scene.before.verify.first?.hasPrefix("intact") == true, "\(scene.before.verify)")
        var counts: [String: Int] = [:]
        var missed: [String] = []
        var padding = 0
        func judge(_ name: String, _ table: String, _ change: (Database) throws -> Void) throws {
            let fate = try scene.fate(of: change)
            counts["\(fate)", default: 0] += 1
            if fate == .missed { missed.append(name) }
            // Only changes in tables that are not shown to a reader may stay unnoticed.
            let isUntold = ["connection", "handled_message", "setting", "replay"].contains(table)
            // A decision is padded with spaces. Removing a space changes nothing.
            if fate == .harmless, table == "decision" { padding += 1 }
            if fate == .harmless, !isUntold, table != "decision" || padding > 1 {
                missed.append("\(name): called harmless")
            }
        }
        let tables = [
            "chain", "entry", "open_visit", "decision", "delivery", "setting", "connection", "handled_message",
            "replay",
        ]
        for table in tables {
            let (columns, rows) = try scene.queue.read { db in
                (try db.columns(in: table), try Row.fetchAll(db, sql: "SELECT * FROM \(table)"))
            }
            let primary = try await scene.queue.read { try $0.primaryKey(table).columns[0] }
            for (number, row) in rows.enumerated() {
                await Task.yield()  // other tests have time limits
                let id = row[primary] as DatabaseValue
                try judge("delete \(table) \(id)", table) { db in
                    try db.execute(sql: "DELETE FROM \(table) WHERE \(primary) = ?", arguments: [id])
                }
                for column in columns {
                    let other = rows[(number + 1) % rows.count][column.name] as DatabaseValue
                    for value in Self.others(row[column.name], other) {
                        try judge("\(table) \(id) \(column.name) = \(value)", table) { db in
                            try db.execute(
                                sql: "UPDATE \(table) SET \(column.name) = ? WHERE \(primary) = ?",
                                arguments: [value, id])
                        }
                    }
                }
            }
            try judge("empty \(table)", table) { db in try db.execute(sql: "DELETE FROM \(table)") }
        }
        let total = counts.values.reduce(0, +) - (counts["impossible"] ?? 0)
        print("tampering: \(total) changes\(isEvicted ? " after eviction" : ""): \(counts)")
        #expect(total >= (isEvicted ? 700 : 1400))
        #expect(missed.prefix(10) == [])
    }

    /// Returns values that the field does not have: neighbouring values, extremes, parts, the value of another row, and
    /// NULL.
    private static func others(_ value: DatabaseValue, _ other: DatabaseValue) -> [DatabaseValue] {
        var values: [DatabaseValue] = [.null, other]
        switch value.storage {
        case .int64(let number):
            values += [number &+ 1, number &- 1, 0, -1, 1 << 40].map(\.databaseValue)
        case .string(let text):
            values += [text + "x", "", String(text.dropLast()), text.uppercased()].map(\.databaseValue)
            for word in ["primary", "copy", "agent", "intent", "outcome", "accepted"] {
                values.append(word.databaseValue)
            }
        case .blob(let data):
            values += [Data(), data.dropLast(), data + Data([0])].map { Data($0).databaseValue }
            for place in [0, data.count / 3, data.count / 2, data.count - 1] where data.indices.contains(place) {
                var edited = data
                edited[place] ^= 1
                values.append(edited.databaseValue)
            }
        default: values.append(1.databaseValue)
        }
        return values.filter { $0 != value }
    }

    /// The attacker recomputes every hash after the change, and the stored end.
    @Test func aRebuiltChain() async throws {
        let scene = try await Scene(StoreOptions())
        let entries = try await scene.queue.read { try LedgerQueries.entries($0, after: 0, limit: 1000) }
        let ledger = try await scene.queue.read { try Text.fetchLedger($0) }
        let edits: [(String, String)] = [
            ("\"rejected\"", "\"accepted\""), ("\"accepted\"", "\"rejected\""), ("\"opened\":true", "\"opened\":false"),
            ("gate-1", "gate-2"), ("2026-01-01", "2025-12-31"), ("validity.expired", "policy.staff"),
            ("\"dropped\":0", "\"dropped\":1"), ("\"pulseMs\":200", "\"pulseMs\":201"),
        ]
        var (count, missed) = (0, [String]())
        for index in entries.indices {
            await Task.yield()
            for (from, to) in edits {
                let text = String(decoding: entries[index].body, as: UTF8.self)
                guard text.contains(from) else { continue }
                var forged = entries
                forged[index].body = Array(text.replacingOccurrences(of: from, with: to).utf8)
                count += 1
                if try scene.fate(of: { try Self.store(forged, ledger, $0) }) != .found {
                    missed.append("\(index) \(to)")
                }
            }
            // Cut off the chain here, and remove all references to the rest.
            let kept = Array(entries[..<index])
            count += 1
            let fate = try scene.fate { db in
                try Self.store(kept, ledger, db)
                try db.execute(sql: "DELETE FROM open_visit")
            }
            if fate != .found { missed.append("cut before \(index)") }
        }
        print("tampering: \(count) rebuilt chains")
        #expect(count > 100 && missed == [])
    }

    /// The whole database file of an earlier hour, with its log, replaces today's file. `isOldForm`: the file has the
    /// tables about agents, as until version 12.
    @Test(arguments: [false, true]) func everyEarlierState(isOldForm: Bool) async throws {
        let witnessed = try await WitnessedLedger(StoreOptions(), keepsStates: true, isOldForm: isOldForm)
        let last = witnessed.states.count - 1
        var missed: [Int] = []
        for (number, state) in witnessed.states.enumerated() where number < last {
            try witnessed.put(state)
            let store = try await witnessed.open()
            guard case .rewritten = store.standing else {
                missed.append(number)
                await store.close()
                continue
            }
            try await store.begin(stamp: Samples.stamp, software: Samples.software)
            let records = try await store.recover(stamp: Samples.stamp, software: Samples.software)
            #expect(records.count <= 1)
            let first = try #require(try await store.visits(last: 100).last?.record)
            guard case .outcome(let outcome) = first else { Issue.record("no first record"); continue }
            #expect(outcome.outcome.predecessor?.ledger == witnessed.ledger)
            #expect(outcome.outcome.predecessor?.count == witnessed.count)
            if number == last - 1 {
                // The connections and messages are those of the replaced file, or stay in the courier's database.
                let courier = try await Databases.attach(store).courier
                #expect(Set(try await courier.connections().map(\.id)) == ["agent", "other"])
                #expect(try await courier.handledMessages(last: 9) == [[7], [8]])
                let message = try #require(try await courier.messages().first)
                #expect(message.uid == "question" && message.isOpen == !isOldForm)
                // The question in an earlier file may have been answered since.
                if isOldForm { #expect(message.status == .rejected && message.content.isEmpty) }
                await courier.close()
            }
            await store.close()
        }
        print("tampering: \(last) earlier states replayed")
        #expect(last > 30 && missed == [])
    }

    private static func store(_ entries: [LedgerEntry], _ ledger: Text, _ db: Database) throws {
        var hash = ChainHash.genesis(ledger: ledger)
        try db.execute(sql: "DELETE FROM entry WHERE position > ?", arguments: [entries.count])
        var next = 1
        for entry in entries {
            hash = hash.next(position: entry.position, body: entry.body)
            let record = try? LedgerRecord(bytes: entry.body)
            next = max(next, (record?.seq ?? 0) + 1)
            try db.execute(
                sql: "UPDATE entry SET hash = ?, body = ? WHERE position = ?",
                arguments: [Data(hash.bytes), Data(entry.body), entry.position])
        }
        try db.execute(
            sql: "UPDATE chain SET count = ?, hash = ?, next_seq = ?",
            arguments: [entries.count, Data(hash.bytes), next])
    }
}

extension Text {
    fileprivate static func fetchLedger(_ db: Database) throws -> Text {
        Text(try String.fetchOne(db, sql: "SELECT ledger FROM chain") ?? "")
    }
}

/// A ledger with a witness after a morning's work: visits of all kinds, two destinations with unconfirmed
/// entries, one open visit.
final class WitnessedLedger {
    let folder: TestFolder
    let source: WitnessSource
    private let options: StoreOptions
    private let isOldForm: Bool
    /// The ledger's file after each step; the store was closed in order.
    private(set) var states: [Data] = []
    private(set) var ledger: Text = ""
    private(set) var count = 0

    /// `isOldForm`: the kept states have the form of version 12, and the courier's database does not stay.
    init(_ options: StoreOptions, keepsStates: Bool = false, isOldForm: Bool = false) async throws {
        folder = try TestFolder("store", inMemory: true)
        source = WitnessSource(path: folder.path + "/witness", keyPath: folder.path + "/key", code: "code.of-the-table")
        (self.options, self.isOldForm) = (options, isOldForm)
        var store = try await open()
        let courier = try await CourierStore.open(besides: folder.database)
        try await courier.saveConnection("agent", [1])
        try await courier.saveConnection("other", [1], to: "copy")
        _ = try await store.siteKey()
        _ = try await store.countStart()
        try await store.connect()
        try await store.connect("other", to: "copy")
        func step() async throws {
            guard keepsStates else { return }
            await store.close()
            try keepState()
            store = try await open()
        }
        for number in 1...14 {
            if number != 5 { try await store.appendIntent(Samples.visit(number), stamp: Samples.stamp) }
            try await step()
            if number == 14 { break }
            let outcome = number.isMultiple(of: 3) ? Samples.rejected : Samples.accepted
            try await store.appendOutcome(Samples.visit(number), outcome, stamp: Samples.stamp)
            try await step()
        }
        for number in 1...4 {
            try await store.confirm(upTo: 3 * number)
            try await step()
        }
        let hash = try #require(try await store.hash(at: 5))
        try await store.confirm("copy", upTo: 5, receipt: hash, over: "other")
        let question = MessageEntry(
            uid: "question", connection: "agent", did: "did", kind: "question", at: Timestamp(seconds: 1_767_225_600),
            status: .pending, result: "waits", content: [UInt8]("{}".utf8))
        try await courier.saveConnection("agent", [1, 2, 3], handled: [[7], [8]], messages: [question])
        try await step()
        let name = try #require(ReplayName([UInt8](repeating: 5, count: ReplayName.byteCount)))
        // The last visit is open: its gate was ordered to open.
        let decided = UnwrittenOutcome(visit: Samples.visit(14), outcome: Samples.letIn, stamp: Samples.stamp)
        _ = try await store.append([], [], decisions: [UnwrittenDecision(decided, names: [name])])
        (ledger, count) = (await store.head.ledger, await store.head.point.count)
        await store.close()
        await courier.close()
        try keepState()
        if keepsStates { witness = try Data(contentsOf: URL(fileURLWithPath: source.path)) }
    }

    private var witness: Data?

    private func keepState() throws {
        guard isOldForm else { return states.append(try Data(contentsOf: URL(fileURLWithPath: folder.database))) }
        let old = folder.path + "/state"
        try FileManager.default.copyItem(atPath: folder.database, toPath: old)
        defer { unlink(old) }
        try OldForm.restore(old, rowsOf: folder.courier)
        states.append(try Data(contentsOf: URL(fileURLWithPath: old)))
    }

    func open() async throws -> Store { try await Store.open(folder.database, options: options, witness: source) }

    /// Replaces the present ledger's file; the witness keeps its final state.
    func put(_ database: Data) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.contains("sqlite") && !name.hasSuffix(".agent-key") && (isOldForm || !name.contains(".courier")) {
            try FileManager.default.removeItem(atPath: folder.path + "/" + name)
        }
        try database.write(to: URL(fileURLWithPath: folder.database))
        try witness?.write(to: URL(fileURLWithPath: source.path))
    }
}
