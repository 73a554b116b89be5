package import Encoding
import Foundation
import GRDB
package import Ledger

// The replay names of recently admitted credentials, which the next start reads.
extension Store {
    /// The number of names in excess of the limit that are removed together. Each removal writes a page, so names are
    /// not removed singly.
    private static let trimming = 64

    /// Stores the replay names of a visit for which the gate was ordered to open. If more than
    /// ``StoreOptions/replays`` names are stored, the oldest are removed, up to ``trimming`` names later.
    static func remember(_ names: [ReplayName], at date: Timestamp, _ db: Database, _ options: StoreOptions) throws {
        for name in names {
            try db.cachedStatement(sql: "INSERT INTO replay (name, at) VALUES (?, ?)")
                .execute(arguments: [Data(name.bytes), date.seconds])
            guard db.lastInsertedRowID % Int64(min(trimming, options.replays)) == 0 else { continue }
            try db.cachedStatement(sql: "DELETE FROM replay WHERE number <= ?")
                .execute(arguments: [db.lastInsertedRowID - Int64(options.replays)])
        }
    }

    /// Removes the newest row of each name: the gate did not open, or the result of the visit permits the credential
    /// to be used again.
    static func forget(_ names: [ReplayName], _ db: Database) throws {
        for name in names {
            try db.cachedStatement(
                sql: "DELETE FROM replay WHERE number = (SELECT max(number) FROM replay WHERE name = ?)"
            ).execute(arguments: [Data(name.bytes)])
        }
    }

    /// Returns the newest ``StoreOptions/replays`` stored names, oldest first, each with the second of the order to
    /// open the gate.
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
