import CrashKit
import CrashVFS
import Encoding
import Foundation
import Ledger
import TestKit
import Testing

@testable import Store

/// Simulates a power cut before every single operation that SQLite requests of the disk.
@Suite(.tags(.models)) struct CrashTests {
    @Test(.timeLimit(.minutes(10)))
    func noPromiseIsBrokenByAPowerCut() async throws {
        let disk = try CrashDisk()
        var script = CrashScript(disk)
        try await script.run()
        let operations = disk.operations
        var random = SplitMix(state: 0x6A7E)
        var (cuts, states, second, problems) = (0, Set<[UInt64]>(), 0, [String]())
        for operation in 0...operations {
            let promises = script.promises.filter { $0.operation <= operation }
            for survival in [CRASH_KEEP_NONE, CRASH_KEEP_ALL, CRASH_KEEP_SOME] {
                let seed = random.next()
                cuts += 1
                let after = try disk.cut(before: operation, survival, seed: seed)
                // Most cuts leave a state that an earlier cut has left. Examine only new states, and states that must
                // keep more promises.
                guard states.insert([after.fingerprint, UInt64(promises.count)]).inserted else { continue }
                let problem = await Self.examine(after, script, promises)
                problems += problem.map { "cut before \(operation), keep \(survival.rawValue), seed \(seed): \($0)" }
                // Cut the power a second time, during the recovery from the first cut.
                guard survival == CRASH_KEEP_SOME, problem.isEmpty, operation.isMultiple(of: 4) else { continue }
                second += 1
                let moment = UInt64.random(in: after.firstOperation...after.operations, using: &random)
                let again = try after.cut(before: moment, CRASH_KEEP_SOME, seed: seed)
                problems += await Self.examine(again, script, promises).map {
                    "cut before \(operation), then \(moment), seed \(seed): \($0)"
                }
            }
        }
        print(
            "crash: \(operations) operations, \(cuts) power cuts, \(states.count) states examined, "
                + "\(second) second cuts during recovery, \(problems.count) broken promises")
        #expect(operations > 300 && states.count > 600)
        #expect(problems.prefix(5) == [])
    }

    /// Tests the examination: on a disk that forgets its last sync, it must find broken promises.
    @Test func aDiskThatReportsFalseSyncsIsDetected() async throws {
        let disk = try CrashDisk()
        var script = CrashScript(disk)
        try await script.run()
        var noticed = 0
        for promise in script.promises {
            let after = try disk.cut(before: promise.operation, CRASH_LOSE_LAST, seed: 1)
            let promises = script.promises.filter { $0.operation <= promise.operation }
            if await !Self.examine(after, script, promises).isEmpty { noticed += 1 }
        }
        print("crash: a lying disk noticed after \(noticed) of \(script.promises.count) promises")
        #expect(noticed > script.promises.count / 2)
    }

    /// Power cuts at the retention limits. Reports lost by a full outbox are counted exactly once, and after evictions
    /// the remaining entries stay verifiable.
    @Test func lossesAreCountedThroughPowerCuts() async throws {
        var options = CrashScript.options
        options.evictionBatch = 2
        (options.retention.entries, options.retention.hardEntries) = (6, 10)
        let disk = try CrashDisk()
        let store = try await Store.open(disk.database, options: options)
        try await store.connect()
        for number in 1...12 {
            try await store.appendIntent(Samples.visit(number), stamp: Samples.stamp)
            let outcome = number.isMultiple(of: 3) ? Samples.accepted : Samples.rejected
            try await store.appendOutcome(Samples.visit(number), outcome, stamp: Samples.stamp)
        }
        await store.close()
        var problems: [String] = []
        for operation in 0...disk.operations {
            let after = try disk.cut(before: operation, CRASH_KEEP_SOME, seed: operation)
            let store = try await Store.open(after.database, options: options)
            try await store.recover(stamp: Samples.stamp, software: Samples.software)
            let told = try await store.waiting().map(\.record.dropped)
            let head = await store.head
            if told.count + told.reduce(0, +) + head.dropped != head.point.nextSeq - 1 {
                problems.append("\(operation): \(told.count) wait, told \(told), to tell \(head.dropped)")
            }
            let report = try await store.verify()
            if !report.isIntact { problems += report.lines.map { "\(operation): \($0)" } }
            if operation == disk.operations, report.start.count == 0 { problems.append("nothing was evicted") }
            await store.close()
        }
        #expect(problems.prefix(5) == [])
    }

    /// Debts of earlier ledgers across power cuts. A confirmed part of a debt stays confirmed. A debt is given up and
    /// counted in one step.
    @Test func debtsAreCountedThroughPowerCuts() async throws {
        let disk = try CrashDisk()
        let store = try await Store.open(disk.database, options: CrashScript.options)
        try await store.connect()
        try await store.connect("other", to: "copy")
        func debt(_ destination: Text, _ ledger: Text, _ reports: Int) -> PastDebt {
            let end = Checkpoint(ledger: nil, count: 12, hash: .genesis(ledger: ledger))
            return PastDebt(destination: destination, ledger: ledger, end: end, confirmed: 2, reports: reports)
        }
        let debts = [debt(DeliveryCursor.primary, "first", 3), debt("copy", "first", 5), debt("copy", "second", 5)]
        try await store.commit { db, books in
            for debt in debts { try debt.save(db) }
            books.debts = debts
        }
        let begun = disk.operations
        var promises: [(operation: UInt64, confirmed: Int)] = []
        for position in [4, 8, 10] {
            try await store.confirm("copy", past: "second", upTo: position, reports: 1, lost: 0, over: "other")
            promises.append((disk.operations, position))
        }
        try await store.giveUp("copy", past: "first")
        try await store.giveUp(DeliveryCursor.primary, past: "first")
        let givenUp = disk.operations
        await store.close()
        var problems: [String] = []
        for operation in begun...disk.operations {
            let after = try disk.cut(before: operation, CRASH_KEEP_SOME, seed: operation)
            let store = try await Store.open(after.database, options: CrashScript.options)
            let (left, dropped) = (await store.debts, await store.head.dropped)
            let first = left.filter { $0.ledger == "first" }
            if dropped != (first.contains { $0.destination == DeliveryCursor.primary } ? 0 : 3) {
                problems.append("\(operation): \(first.count) debts, \(dropped) dropped")
            }
            if operation >= givenUp, !first.isEmpty { problems.append("\(operation): not given up") }
            let second = left.first { $0.ledger == "second" }
            let least = promises.last { $0.operation <= operation }?.confirmed ?? 2
            let paid = [2: 5, 4: 4, 8: 3, 10: 2]
            if (second?.confirmed ?? 0) < least || second?.reports != second.flatMap({ paid[$0.confirmed] }) {
                problems.append("\(operation): \(String(describing: second))")
            }
            await store.close()
        }
        #expect(problems.prefix(5) == [])
    }

    /// Opens the state after the cut and compares it with the earlier promises. Returns the differences.
    private static func examine(_ disk: CrashDisk, _ script: CrashScript, _ promises: [Promise]) async -> [String] {
        do {
            let both = try await Databases.open(disk.database, options: CrashScript.options)
            let problems = try await compare(both, script, promises)
            await both.close()
            return problems
        } catch {
            return ["\(error)"]
        }
    }

    private static func compare(
        _ both: Databases, _ script: CrashScript, _ promises: [Promise]
    ) async throws -> [String] {
        let (store, courier) = (both.store, both.courier)
        var problems: [String] = []
        if courier.damage != nil { problems.append("the courier's database is damaged") }
        // The examination of the first cut has added records after the script's records.
        let before = try await store.entries(after: 0, limit: 1000)
        let kept = zip(before, script.entries).prefix { $0 == $1 }.count
        let own = before.dropFirst(kept).compactMap { try? LedgerRecord(bytes: $0.body) }
        if !own.allSatisfy({ $0.visit == Samples.visit(99) || isInterrupted($0) }) {
            problems.append("invented records")
        }
        let openBefore = await store.head.open.count
        let closed = try await store.recover(stamp: Samples.stamp, software: Samples.software)
        if closed.count != openBefore { problems.append("recovery closed \(closed.count) of \(openBefore)") }
        if try await !store.recover(stamp: Samples.stamp, software: Samples.software).isEmpty {
            problems.append("closed twice")
        }
        // The gate can continue to record.
        if try await !store.visits(last: 1000).contains(where: { $0.record?.visit == Samples.visit(99) }) {
            try await store.appendIntent(Samples.visit(99), stamp: Samples.stamp)
            try await store.appendOutcome(Samples.visit(99), Samples.accepted, stamp: Samples.stamp)
        }
        let report = try await store.verify()
        if !report.isIntact || !report.openIntents.isEmpty { problems += report.lines }

        var intents: [Text: Int] = [:]
        var outcomes: [Text: OutcomeRecord] = [:]
        for entry in try await store.entries(after: 0, limit: 1000) {
            switch try LedgerRecord(bytes: entry.body) {
            case .intent(let record): intents[record.intent, default: 0] += 1
            case .outcome(let record):
                if outcomes.updateValue(record, forKey: record.visit) != nil { problems.append("two outcomes") }
            }
        }
        if !intents.values.allSatisfy({ $0 == 1 }) { problems.append("two intents of one id") }
        if Set(outcomes.values.map(\.seq)) != Set(1...outcomes.count) { problems.append("numbers have gaps") }
        let cursor = await store.deliveries[DeliveryCursor.primary]
        if cursor?.confirmed ?? 0 > script.entries.count { problems.append("confirmed what is not there") }
        for promise in promises {
            switch promise.content {
            case .intent(let visit): if intents[visit] == nil { problems.append("intent of \(visit) vanished") }
            case .decision(let visit):
                let outcome = outcomes[visit]?.outcome
                let isWhole = outcome?.credential != nil && outcome?.gate?.opened == true
                if outcome?.result != .accepted || !isWhole { problems.append("decision of \(visit) vanished") }
            case .outcome(let visit, let seq, let body):
                let record = outcomes[visit]
                if record?.seq != seq || record.map({ LedgerRecord.outcome($0).bytes }) != body {
                    problems.append("outcome of \(visit) vanished")
                }
            case .confirmed(let position):
                if cursor?.confirmed ?? 0 < position { problems.append("receipt up to \(position) lost") }
            case .marked, .deleted:
                let spare = try await courier.connections().first { $0.id == "spare" }
                let isWay = await store.deliveries["copy"]?.connection != nil
                if isWay || spare?.isDeleting == false { problems.append("a deletion was taken back") }
                if case .deleted = promise.content, spare != nil { problems.append("keys came back") }
            case .connection(let snapshot):
                let there = try await courier.connections().first?.snapshot
                if there?.count ?? 0 < snapshot.count { problems.append("connection lost") }
            }
        }
        return problems
    }

    private static func isInterrupted(_ record: LedgerRecord) -> Bool {
        guard case .outcome(let record) = record else { return false }
        return record.outcome.result == .interrupted
            || record.outcome.reasons.contains { $0.code == Text(Outcome.Result.interrupted.rawValue) }
    }
}

/// A deterministic random number generator: a failure names its seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
