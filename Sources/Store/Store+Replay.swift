package import Encoding
import Foundation
import GRDB
package import Ledger

// Who was let in a moment ago, by name, for the start after this one.
extension Store {
    /// More names than there may be are removed so many at once: each time costs a page.
    private static let trimming = 64

    /// Keeps the names of a visit for which the gate was told to open. Beyond ``StoreOptions/replays`` the oldest are
    /// removed, some later than others.
    static func remember(_ names: [ReplayName], at date: Timestamp, _ db: Database, _ options: StoreOptions) throws {
        for name in names {
            try db.cachedStatement(sql: "INSERT INTO replay (name, at) VALUES (?, ?)")
                .execute(arguments: [Data(name.bytes), date.seconds])
            guard db.lastInsertedRowID % Int64(min(trimming, options.replays)) == 0 else { continue }
            try db.cachedStatement(sql: "DELETE FROM replay WHERE number <= ?")
                .execute(arguments: [db.lastInsertedRowID - Int64(options.replays)])
        }
    }

    /// Removes the newest entry of each name: the gate did not open, or that releases the credential.
    static func forget(_ names: [ReplayName], _ db: Database) throws {
        for name in names {
            try db.cachedStatement(
                sql: "DELETE FROM replay WHERE number = (SELECT max(number) FROM replay WHERE name = ?)"
            ).execute(arguments: [Data(name.bytes)])
        }
    }

    /// The names kept, the newest ``StoreOptions/replays``, oldest first, with the second at which the gate was told to
    /// open.
    package func replays() async throws(StoreError) -> [(name: ReplayName, at: Timestamp)] {
        let ring = options.replays
        return try await read { db in
            let sql = "SELECT name, at FROM replay WHERE number > (SELECT max(number) FROM replay) - ? ORDER BY number"
            return try Row.fetchAll(db, sql: sql, arguments: [ring]).compactMap { row in
                let at = Timestamp(seconds: try row.integer("at"))
                return ReplayName(try row.bytes("name")).map { ($0, at) }
            }
        }
    }
}
