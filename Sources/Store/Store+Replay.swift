package import Encoding
import Foundation
import GRDB
package import Ledger

// Who was let in a moment ago, by name, for the start after this one.
extension Store {
    /// Remembers the names of visits that opened the gate; the oldest beyond ``StoreOptions/replays`` are forgotten.
    static func remember(_ visits: [UnwrittenNames], ring: Int, _ db: Database) throws {
        guard !visits.isEmpty else { return }
        for visit in visits {
            for name in visit.names {
                try db.cachedStatement(sql: "INSERT INTO replay (name, at) VALUES (?, ?)")
                    .execute(arguments: [Data(name.bytes), visit.at.seconds])
            }
        }
        try db.cachedStatement(sql: "DELETE FROM replay WHERE number <= (SELECT max(number) FROM replay) - ?")
            .execute(arguments: [ring])
    }

    /// The names kept, oldest first, with the second at which their visits opened the gate.
    package func replays() async throws(StoreError) -> [(name: ReplayName, at: Timestamp)] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT name, at FROM replay ORDER BY number").compactMap { row in
                let at = Timestamp(seconds: try row.integer("at"))
                return ReplayName(try row.bytes("name")).map { ($0, at) }
            }
        }
    }
}
