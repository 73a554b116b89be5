import Foundation
import GRDB

/// Reads the courier's database for a backup, while another process may own the database. Like ``LedgerReader``, the
/// reader never delays the writer.
package struct CourierReader: Sendable {
    private let queue: DatabaseQueue
    private let path: String

    /// Opens an existing database for reading.
    package init(path: String) throws(StoreError) {
        queue = try LedgerReader.open(path, id: CourierSchema.applicationID, CourierSchema.migrator)
        self.path = path
    }

    /// Copies the present state of the database into a new file (``LedgerReader/copy(to:progress:)``).
    package func copy(to target: String) async throws(StoreError) {
        try await LedgerReader.copy(queue, path, to: target) { _, _ in }
    }

    /// Reads every page of the database. Throws `corrupt` if a page is damaged. The error names the file `original`, if
    /// this database is a temporary copy of that file.
    package func check(asCopyOf original: String? = nil) async throws(StoreError) {
        let path = original ?? self.path
        do {
            try await queue.read { db in
                try db.checkSchema(path)
                try CourierStore.check(db, path)
            }
        } catch {
            throw StoreError(error, path: path)
        }
    }
}
