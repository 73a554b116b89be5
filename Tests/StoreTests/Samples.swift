import Encoding
import Foundation
import GRDB
import Ledger
import TestKit
import Testing

@testable import Store

/// Records that the tests share.
enum Samples {
    static let software = Outcome.Software(name: "gatehouse", version: "0.1.0")
    static let stamp = RecordStamp(
        kiosk: "gate-1", boot: "b0070000-0000-4000-8000-000000000000",
        time: WallTime(utc: Timestamp(seconds: 1_767_225_600), provenance: .rtc), monotonic: Instant(nanoseconds: 1))
    static let accepted = Outcome(.accepted, gate: .pulsed(milliseconds: 200), software: software)
    /// An outcome with everything that the record of a visitor contains.
    static let letIn: Outcome = {
        var outcome = accepted
        outcome.reasons = [Outcome.Reason("ok")]
        outcome.credential = Outcome.Credential(
            format: "ldp_vc", issuer: "did:web:works.example",
            types: ["VerifiableCredential", "https://works.example/ns#StaffPass"],
            validFrom: Timestamp(seconds: 1_735_776_000), validUntil: Timestamp(seconds: 1_798_848_000))
        outcome.session = Outcome.Session(
            transport: "tuvali", milliseconds: 4123, chunks: 3, crcErrors: 0, retries: 0)
        outcome.software.trust = "sha256:0123456789abcdef"
        outcome.software.policy = "north-gate@2026-06 sha256:0123456789abcdef"
        return outcome
    }()
    static let rejected = Outcome(
        .rejected, reasons: [Outcome.Reason("validity.expired")], gate: .shut, software: software)

    static let junk = Outcome(
        .failed, reasons: [Outcome.Reason("transfer.silence")], gate: .shut, software: software)

    /// Returns the id of an intent, a different id for each number.
    static func intent(_ number: Int) -> Text {
        let digits = String(number)
        return Text("11111111-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)
    }

    /// Returns the decision of the visit with that intent.
    static func decision(_ number: Int, names: [ReplayName] = [], stamp: RecordStamp = stamp) -> UnwrittenDecision {
        let outcome = UnwrittenOutcome(
            visit: visit(number), intent: intent(number), outcome: letIn, stamp: stamp,
            signedDigests: [[UInt8](repeating: UInt8(number & 255), count: 32)])
        return UnwrittenDecision(outcome, names: names)
    }

    static func visit(_ number: Int) -> Text {
        let digits = String(number)
        return Text("00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)
    }
}

extension StoreOptions {
    /// The options of a ledger that keeps little: 20 entries, or 60 if they are unconfirmed.
    static var small: StoreOptions {
        var options = StoreOptions()
        (options.retention.entries, options.retention.hardEntries, options.evictionBatch) = (20, 60, 4)
        return options
    }
}

extension Store {
    /// Makes a connection the route to a destination. The ledger knows no more of a connection than its id.
    func connect(_ id: Text = "agent", to destination: Text = DeliveryCursor.primary) async throws {
        try await takeOver(destination, by: id, insteadOf: deliveries[destination]?.connection)
    }

    /// Confirms as the primary destination.
    @discardableResult
    func confirm(upTo position: Int, over connection: Text = "agent") async throws -> DeliveryCursor {
        try await confirm(DeliveryCursor.primary, upTo: position, over: connection)
        return deliveries[DeliveryCursor.primary] ?? DeliveryCursor(DeliveryCursor.primary)
    }

    /// Returns the outcomes that a destination has not confirmed, with their positions.
    func waiting(
        for destination: Text = DeliveryCursor.primary
    ) async throws -> [(position: Int, record: OutcomeRecord)] {
        let cursor = try #require(deliveries[destination])
        return try await entries(after: cursor.confirmed, limit: 10_000).compactMap { entry in
            guard case .outcome(let record) = try LedgerRecord(bytes: entry.body) else { return nil }
            return (entry.position, record)
        }
    }
}

extension TestFolder {
    /// The path of the database.
    var database: String { path + "/gatehouse.sqlite" }
    /// The path of the courier's database.
    var courier: String { CourierStore.path(of: database) }

    /// Changes the database without the program.
    func edit(_ sql: String) throws { try edit(sql, in: database) }

    /// Changes the courier's database without the program.
    func editCourier(_ sql: String) throws { try edit(sql, in: courier) }

    /// Overwrites the first page of a table or index of the ledger's database.
    func garble(_ table: String) throws {
        let queue = try DatabaseQueue(path: database)
        let (root, size) = try queue.read { db in
            (
                try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_master WHERE name = ?", arguments: [table]),
                try Int.fetchOne(db, sql: "PRAGMA page_size")
            )
        }
        try queue.close()
        let (place, count) = (((root ?? 0) - 1) * (size ?? 0), size ?? 0)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: database))
        bytes.replaceSubrange(place..<place + count, with: Data(repeating: 0xAA, count: count))
        try bytes.write(to: URL(fileURLWithPath: database))
    }

    private func edit(_ sql: String, in database: String) throws {
        for ending in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: database + ending) }
        let queue = try DatabaseQueue(path: database)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }
}
