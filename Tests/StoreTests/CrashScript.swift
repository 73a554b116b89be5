import CrashKit
import Encoding
import Ledger
import Testing

@testable import Store

/// A promise to a caller, and the disk operation after which it was made. From then on the promise must survive any
/// power cut.
struct Promise: Sendable {
    enum Content: Sendable {
        /// The gate may open, and a status byte may be sent.
        case intent(Text)
        /// The gate was ordered to open. After a crash, a record states the order and the credential.
        case decision(Text)
        case outcome(Text, seq: Int, body: [UInt8])
        case confirmed(Int)
        case connection([UInt8])
        /// The spare connection is marked for deletion, and is never used again.
        case marked
        /// The connection is deleted.
        case deleted
    }
    let content: Content
    let operation: UInt64
}

/// A short day of a gate: visits one by one and in parallel, reports being sent, a restart in the middle.
struct CrashScript {
    let disk: CrashDisk
    var promises: [Promise] = []
    /// The ledger at the end of the script.
    var entries: [LedgerEntry] = []

    static var options: StoreOptions {
        var options = StoreOptions()
        // The log is copied into the database many times during the script, even while a writer runs.
        (options.checkpointRequests, options.checkpointRest, options.checkpointAtLatest) = (3, .zero, 5)
        return options
    }

    init(_ disk: CrashDisk) { self.disk = disk }

    mutating func run() async throws {
        var both = try await Databases.open(disk.database, options: Self.options)
        var store = both.store
        _ = try await store.siteKey()
        try await both.connect()
        for number in 1...4 { try await visit(number, store) }
        try await crowd(5...8, store)
        try await report([2, 4, 5], both)
        try await intent(9, store)
        try await intent(14, store)
        try await decision(14, store)
        try await save([1], both.courier)
        // The process ends without closing visits 9 and 14. The databases themselves are closed normally.
        await both.close()
        both = try await Databases.open(disk.database, options: Self.options)
        store = both.store
        for record in try await store.recover(stamp: Samples.stamp, software: Samples.software) {
            keep(.outcome(record.visit, seq: record.seq, body: LedgerRecord.outcome(record).bytes))
        }
        for number in 10...12 { try await visit(number, store) }
        try await report([6, 9, 10, 14, 16, 18, 19, 20], both)
        try await save([2, 2], both.courier)
        try await deleteSpare(both)
        try await store.housekeep(at: Samples.stamp.time)
        // A visit that fails before the response size has no intent.
        try await outcome(13, Samples.rejected, store)
        entries = try await store.entries(after: 0, limit: 1000)
        await both.close()
    }

    private mutating func keep(_ content: Promise.Content) {
        promises.append(Promise(content: content, operation: disk.operations))
    }

    private mutating func intent(_ number: Int, _ store: Store) async throws {
        try await store.appendIntent(Samples.intent(number), stamp: Samples.stamp)
        keep(.intent(Samples.intent(number)))
    }

    private mutating func decision(_ number: Int, _ store: Store) async throws {
        let decision = Samples.decision(number).named(under: try await store.siteKey())
        #expect(try await store.append([], [], decisions: [decision]) == [:])
        keep(.decision(Samples.visit(number)))
    }

    private mutating func outcome(_ number: Int, _ outcome: Outcome, _ store: Store) async throws {
        let record = try await store.appendOutcome(
            Samples.visit(number), of: Samples.intent(number), outcome, stamp: Samples.stamp)
        keep(.outcome(record.visit, seq: record.seq, body: LedgerRecord.outcome(record).bytes))
    }

    private mutating func visit(_ number: Int, _ store: Store) async throws {
        try await intent(number, store)
        let isRejected = number.isMultiple(of: 2)
        if !isRejected { try await decision(number, store) }
        try await outcome(number, isRejected ? Samples.rejected : Samples.letIn, store)
    }

    /// Records several visits at once. Their records share commits.
    private mutating func crowd(_ numbers: ClosedRange<Int>, _ store: Store) async throws {
        for number in numbers { try await intent(number, store) }
        let records = try await withThrowingTaskGroup(of: OutcomeRecord.self) { group in
            for number in numbers {
                group.addTask {
                    try await store.appendOutcome(
                        Samples.visit(number), of: Samples.intent(number), Samples.accepted, stamp: Samples.stamp)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for record in records {
            keep(.outcome(record.visit, seq: record.seq, body: LedgerRecord.outcome(record).bytes))
        }
    }

    /// Confirms positions one by one, like an agent.
    private mutating func report(_ positions: [Int], _ both: Databases) async throws {
        for position in positions {
            try await both.confirm(upTo: position, over: "agent")
            keep(.confirmed(position))
        }
    }

    /// Makes the spare connection the route to a copy agent for a moment, and then deletes it.
    private mutating func deleteSpare(_ both: Databases) async throws {
        try await both.store.cursor(of: "copy")
        try await both.connect("spare", to: "copy")
        guard case .begun = try await both.beginDeletion(of: "spare", isForced: true) else { return }
        keep(.marked)
        try await both.courier.finishDeletion(of: "spare")
        keep(.deleted)
    }

    private mutating func save(_ snapshot: [UInt8], _ courier: CourierStore) async throws {
        try await courier.saveConnection("agent", snapshot)
        keep(.connection(snapshot))
    }
}
