import GRDB
import Testing

@testable import Store

/// A database file that an attacker has written makes the program call nothing.
@Suite struct DistrustTests {
    @Test func aViewOfTheFileCallsNoFunctionOfTheProgram() throws {
        let folder = try TemporaryFolder()
        let path = folder.database
        let hostile = try DatabaseQueue(path: path)
        try hostile.write { db in
            try db.execute(sql: "CREATE VIEW v AS SELECT swiftUppercaseString('a') AS letter")
        }
        let letter = { (db: Database) in try String.fetchOne(db, sql: "SELECT letter FROM v") }
        #expect(try hostile.read(letter) == "A", "the view works where the file is trusted")
        try hostile.close()

        let opened = try DatabaseQueue(path: path, configuration: Store.configuration())
        let error = #expect(throws: DatabaseError.self) { try opened.read(letter) }
        #expect(error?.message?.contains("unsafe use") == true, "\(String(describing: error))")
        #expect(try opened.read { try Int.fetchOne($0, sql: "PRAGMA cell_size_check") } == 1)
    }
}
