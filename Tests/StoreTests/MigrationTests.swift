import Encoding
import Foundation
import GRDB
import Ledger
import TestKit
import Testing

@testable import Store

/// Databases that earlier versions wrote (`Tests/Databases`) are migrated, and their ledgers continue.
@Suite struct MigrationTests {
    private let folder: TestFolder
    private let source: WitnessSource

    init() throws {
        folder = try TestFolder("store", inMemory: true)
        let kept = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Databases/schema-3")
        for (name, path) in [
            ("gatehouse.sqlite", folder.database), ("witness", folder.path + "/witness"), ("key", folder.path + "/key"),
        ] {
            try FileManager.default.copyItem(atPath: kept.appendingPathComponent(name).path, toPath: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        source = WitnessSource(path: folder.path + "/witness", keyPath: folder.path + "/key", code: "code")
    }

    private func open() async throws -> Store { try await Store.open(folder.database, witness: source) }

    @Test func aSealedLedgerGoesOnAndWhatWasOnlySentIsSentAgain() async throws {
        let both = try await Databases.attach(try await open())
        var store = both.store
        #expect(store.standing == .continued)
        #expect(
            await store.deliveries == [DeliveryCursor.primary: DeliveryCursor(DeliveryCursor.primary, confirmed: 1)])
        #expect(
            try await both.courier.connections() == [
                StoredConnection(id: "agent", destination: DeliveryCursor.primary, snapshot: [1, 2, 3])
            ])
        #expect(try await both.courier.handledMessages(last: 9) == [[7], [8]])
        #expect(await store.head.open.count == 1)
        try await both.takeOver(DeliveryCursor.primary, by: "agent")
        #expect(try await store.waiting().map(\.record.seq) == Array(1...13))
        #expect(try await store.audit().isIntact)
        await both.close()
        store = try await open()
        #expect(store.standing == .continued)
        #expect(try await store.recover(stamp: Samples.stamp, software: Samples.software).count == 1)
        #expect(try await store.verify().isIntact)
        await store.close()
    }

    /// The acknowledged reports up to the first gap are confirmed. No later report is.
    @Test(arguments: [(3, 7), (5, 10), (9, 18), (13, 26)])
    func theAcknowledgedBeginningIsConfirmed(acknowledged: Int, confirmed: Int) async throws {
        try folder.edit("UPDATE report SET state = 'acknowledged' WHERE seq <= \(acknowledged) OR seq = 12")
        let store = try await Store.open(folder.database)
        #expect(await store.deliveries[DeliveryCursor.primary]?.confirmed == confirmed)
        await store.close()
    }

    /// The reports of an earlier ledger existed only in the table. They are counted as lost.
    @Test func reportsWithoutARecordAreCounted() async throws {
        try folder.edit(
            """
            UPDATE chain SET seal = NULL;
            UPDATE report SET id = 'elsewhere', dropped = 2 WHERE seq = 13;
            UPDATE report SET id = 'there', state = 'acknowledged' WHERE seq = 12;
            """)
        let store = try await Store.open(folder.database)
        #expect(await store.head.dropped == 3)
        await store.close()
    }

    /// An attacker who cannot make the seal cannot mark reports as confirmed, neither by changing the table before the
    /// migration nor by making the database look like that of an earlier version.
    @Test(arguments: [
        "UPDATE report SET state = 'acknowledged'", "DELETE FROM report", "UPDATE report SET dropped = 1 WHERE seq = 3",
    ])
    func aTableThatWasTouchedIsFound(_ edit: String) async throws {
        try folder.edit(edit)
        let store = try await open()
        guard case .rewritten = store.standing else { Issue.record("\(String(describing: store.standing))"); return }
        await store.close()
    }

    @Test func aDatabaseThatIsMadeToLookOldIsFound() async throws {
        try await open().close()
        #expect(try OldForm.rows(folder.database)["connection"]?.count == 1, "nobody has taken them over")
        try folder.edit(
            """
            DELETE FROM grdb_migrations WHERE identifier = '\(Schema.delivery)';
            DROP TABLE delivery; ALTER TABLE connection DROP COLUMN destination; ALTER TABLE connection DROP COLUMN number;
            CREATE TABLE report (seq, id, first, weight, state, rank, since, dropped, bytes, content);
            """)
        let store = try await open()
        guard case .rewritten = store.standing else { Issue.record("\(String(describing: store.standing))"); return }
        await store.close()
    }

    @Test func aReaderUnderstandsTheOldForm() async throws {
        let reader = try LedgerReader(path: folder.database)
        #expect(
            try await reader.verify(proof: Proof(key: source.key(), witness: source.reading(source.key()))).entries
                == 26)
        #expect(try await reader.visits(last: 99).count == 14)
    }
}
