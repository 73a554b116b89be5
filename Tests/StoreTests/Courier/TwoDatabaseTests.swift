import CrashKit
import CrashVFS
import Encoding
import Ledger
import TestKit
import Testing

@testable import Store

/// Steps that change both databases, with the power cut between the two changes and at every operation.
@Suite(.timeLimit(.minutes(10)), .tags(.models)) struct TwoDatabaseTests {
    private let primary = DeliveryCursor.primary

    private func visit(_ number: Int, _ store: Store) async throws {
        try await store.appendIntent(Samples.visit(number), stamp: Samples.stamp)
        try await store.appendOutcome(Samples.visit(number), Samples.accepted, stamp: Samples.stamp)
    }

    /// Opens both databases after a power cut that keeps only what was synced.
    private func restart(_ disk: CrashDisk) async throws -> (disk: CrashDisk, both: Databases) {
        let after = try disk.cut(before: .max, CRASH_KEEP_NONE, seed: 0)
        return (after, try await Databases.open(after.database))
    }

    /// The power is cut when the rows are in both files: the next start hands them over again, and none is doubled.
    @Test func aHandOverBetweenItsStepsIsRepeated() async throws {
        let first = try CrashDisk()
        let old = try await OldLedger(first.database)
        let store = try await Store.open(first.database)
        let courier = try await CourierStore.open(besides: first.database)
        let content = try await store.read { db in try AgentTables.Content(of: db) }
        #expect(try await courier.replaceAll(by: content) == nil)
        let (disk, both) = try await restart(first)
        await courier.close()
        await store.close()
        #expect(try await both.courier.connections().map(\.snapshot) == OldLedger.states)
        await both.close()
        #expect(try OldForm.rows(disk.database + ".courier") == old.rows)
        #expect(try OldForm.rows(disk.database)["connection"] == nil)
    }

    @Test func aConnectionThatDidNotTakeOverTakesOverLater() async throws {
        let first = try CrashDisk()
        var both = try await Databases.open(first.database)
        try await both.connect("old")
        try await both.courier.saveConnection("new", [2])
        await both.close()
        let disk: CrashDisk
        (disk, both) = try await restart(first)
        #expect(await both.store.deliveries[primary]?.connection == "old")
        #expect(try await both.takeOver(primary, by: "new").connection == "new")
        #expect(try await both.takeOver(primary, by: "old").connection == "new", "one route")
        await both.close()
        withExtendedLifetime(disk) {}
    }

    /// Two connections take over at the same time: the ledger changes the route only from the one that was read.
    @Test func aRouteThatChangedMeanwhileStays() async throws {
        let disk = try CrashDisk()
        let both = try await Databases.open(disk.database)
        try await both.connect("old")
        try await both.courier.saveConnection("middle", [2])
        // "middle" has read that "old" is the route, and that no newer connection exists.
        #expect(try await both.courier.newer(than: "middle", to: primary) == [])
        try await both.connect("new")
        #expect(try await both.store.takeOver(primary, by: "middle", insteadOf: "old").connection == "new")
        #expect(try await both.store.takeOver(primary, by: "middle", insteadOf: nil).connection == "new")
        #expect(try await both.courier.newer(than: "middle", to: primary) == ["new"])
        #expect(try await both.courier.newer(than: "unknown", to: primary) == nil)
        await both.close()
    }

    /// The replaced connection is marked, and the cursor has not moved: the entries are sent over the new connection
    /// again, and the old connection does not return.
    @Test func aMarkedConnectionDoesNotReturnBeforeTheConfirmation() async throws {
        let first = try CrashDisk()
        var both = try await Databases.open(first.database)
        try await both.connect("old")
        for number in 1...2 { try await visit(number, both.store) }
        try await both.connect("new")
        #expect(await !both.store.accepts(primary, upTo: 2, over: "old"), "it is not the route")
        #expect(await !both.store.accepts(primary, upTo: 5, over: "new"), "the ledger has no such entry")
        #expect(await !both.store.accepts(primary, upTo: 0, over: "new"))
        #expect(await both.store.accepts(primary, upTo: 2, over: "new"))
        #expect(try await both.courier.retireReplaced(by: "new") == ["old"])
        let disk: CrashDisk
        let before = both
        (disk, both) = try await restart(first)
        await before.close()
        #expect(try await both.courier.connections().map(\.isDeleting) == [true, false])
        #expect(await both.store.deliveries[primary] == DeliveryCursor(primary, connection: "new"))
        #expect(try await both.takeOver(primary, by: "old").connection == "new")
        #expect(try await both.store.waiting().map(\.record.seq) == [1, 2], "the entries are sent again")
        #expect(try await both.confirm(upTo: 4, over: "old").replaced.isEmpty, "it is not the route")
        #expect(try await both.confirm(upTo: 4, over: "new").replaced.isEmpty, "it is marked already")
        #expect(await both.store.deliveries[primary]?.confirmed == 4)
        #expect(await both.store.accepts(primary, upTo: 2, over: "new"), "a repeated confirmation")
        await both.close()
        withExtendedLifetime(disk) {}
    }

    /// A connection is marked, and the ledger has not removed it as the route. It stays the route until the next start
    /// continues the deletion, and cannot take over again.
    @Test func anInterruptedDeletionContinues() async throws {
        let first = try CrashDisk()
        var both = try await Databases.open(first.database)
        try await both.connect("agent")
        for number in 1...2 { try await visit(number, both.store) }
        try await both.confirm(upTo: 2, over: "agent")
        #expect(try await both.beginDeletion(of: "agent", isForced: false) == .owed(2))
        try await both.store.letGo(of: "another")
        #expect(await both.store.deliveries[primary]?.connection == "agent")
        #expect(try await both.courier.beginDeletion(of: "agent", withReplaced: true) == ["agent"])
        var disk: CrashDisk
        var before = both
        (disk, both) = try await restart(first)
        await before.close()
        #expect(await both.store.deliveries[primary]?.connection == "agent")
        #expect(try await both.courier.newer(than: "agent", to: primary) == nil)
        #expect(try await both.store.waiting().map(\.record.seq) == [2])
        #expect(try await both.beginDeletion(of: "agent", isForced: true) == .begun(["agent"]))
        before = both
        (disk, both) = try await restart(disk)
        await before.close()
        #expect(try await both.takeOver(primary, by: "agent").connection == nil)
        try await both.courier.finishDeletion(of: "agent")
        try await both.courier.saveConnection("agent", [3])
        #expect(try await both.courier.connections().isEmpty, "its owner may still be running")
        #expect(try await both.takeOver(primary, by: "agent").connection == nil)
        await both.close()
        withExtendedLifetime(disk) {}
    }

    /// The connections of a forgotten destination are gone, and its cursor is not: the next start continues.
    @Test func aForgottenDestinationIsForgottenCompletely() async throws {
        let first = try CrashDisk()
        var both = try await Databases.open(first.database)
        try await both.connect("agent")
        try await both.connect("other", to: "copy")
        try await both.courier.saveConnection("asks", [1], to: CourierStore.requestsName(of: "copy"))
        try await visit(1, both.store)
        #expect(await both.store.destinations(except: []) == ["copy"])
        try await both.courier.forgetConnections(to: ["copy"])
        let disk: CrashDisk
        let before = both
        (disk, both) = try await restart(first)
        await before.close()
        #expect(try await both.courier.connections().map(\.id) == ["agent"])
        #expect(await both.store.destinations(except: []) == ["copy"], "it is still known")
        #expect(try await both.takeOver("copy", by: "other").connection == "other", "nothing else can take over")
        try await both.forgetDestinations(except: [])
        #expect(await Array(both.store.deliveries.keys) == [primary])
        #expect(try await both.store.audit().isIntact)
        await both.close()
        withExtendedLifetime(disk) {}
    }

    /// A day of connections: one replaces another, both are deleted. At any power cut the route is no connection or one
    /// that exists, the newest connection can take over, and no promise is broken.
    @Test func atAnyPowerCutTheRouteIsAConnectionThatExists() async throws {
        let disk = try CrashDisk()
        let both = try await Databases.open(disk.database)
        // What the databases have promised, and the operation after which they did.
        var confirmed: [(operation: UInt64, position: Int)] = []
        var gone: [(operation: UInt64, id: Text)] = []
        try await both.connect("one")
        for number in 1...3 { try await visit(number, both.store) }
        func confirm(upTo position: Int, over id: Text, handled: [[UInt8]]) async throws {
            try await both.confirm(upTo: position, over: id, handled: handled)
            confirmed.append((disk.operations, position))
        }
        try await confirm(upTo: 2, over: "one", handled: [[1]])
        try await both.connect("two")
        try await confirm(upTo: 4, over: "two", handled: [[2]])
        try await both.courier.finishDeletion(of: "one")
        gone.append((disk.operations, "one"))
        try await both.connect("three")
        try await confirm(upTo: 6, over: "three", handled: [[3]])
        _ = try await both.beginDeletion(of: "three", isForced: false)
        try await both.courier.finishDeletion(of: "three")
        gone.append((disk.operations, "three"))
        await both.close()
        var (states, problems) = (Set<[UInt64]>(), [String]())
        for operation in 0...disk.operations {
            for survival in [CRASH_KEEP_NONE, CRASH_KEEP_ALL, CRASH_KEEP_SOME] {
                let after = try disk.cut(before: operation, survival, seed: operation)
                let position = confirmed.last { $0.operation <= operation }?.position ?? 0
                let deleted = Set(gone.filter { $0.operation <= operation }.map(\.id))
                guard states.insert([after.fingerprint, UInt64(position), UInt64(deleted.count)]).inserted else {
                    continue
                }
                let found = try await Self.examine(after, least: position, deleted: deleted)
                problems += found.map { "cut before \(operation), keep \(survival.rawValue): \($0)" }
            }
        }
        print("two databases: \(disk.operations) operations, \(states.count) states, \(problems.count) problems")
        #expect(states.count > 50)
        #expect(problems.prefix(5) == [])
    }

    private static func examine(_ disk: CrashDisk, least: Int, deleted: Set<Text>) async throws -> [String] {
        let both = try await Databases.open(disk.database)
        var problems: [String] = []
        let stored = try await both.courier.connections()
        let live = stored.filter { !$0.isDeleting }.map(\.id)
        try await both.finishDeletions()
        let cursor = await both.store.deliveries[DeliveryCursor.primary]
        if let route = cursor?.connection, !live.contains(route) { problems.append("the route is \(route)") }
        if cursor?.confirmed ?? 0 < least { problems.append("a confirmation was lost") }
        if stored.contains(where: { deleted.contains($0.id) }) { problems.append("a deleted connection came back") }
        if stored.contains(where: { $0.snapshot.isEmpty }) { problems.append("a key is lost") }
        // Their links start in any order.
        for id in live.reversed() + live { try await both.takeOver(DeliveryCursor.primary, by: id) }
        let route = await both.store.deliveries[DeliveryCursor.primary]?.connection
        if route != live.last { problems.append("\(route ?? "-") took over in place of \(live.last ?? "-")") }
        // The next confirmation over the route leaves no replaced connection unmarked.
        let end = await both.store.head.point.count
        if let route, end > 0 {
            try await both.confirm(upTo: end, over: route)
            let left = try await both.courier.connections().filter { !$0.isDeleting }.map(\.id)
            if left != [route] { problems.append("\(left) after a confirmation over \(route)") }
        }
        if try await !both.store.verify().isIntact { problems.append("the ledger is changed") }
        await both.close()
        return problems
    }
}
