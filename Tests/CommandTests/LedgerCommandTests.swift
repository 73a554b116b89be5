import Encoding
import Foundation
import Testing

/// `gatehouse ledger`: an absent, an empty, a damaged, a foreign and a falsified database.
@Suite struct LedgerCommandTests {
    private let folder: Scratch
    private let configuration: String
    private let database = "state/gatehouse.db"

    init() throws {
        folder = try Scratch()
        configuration = try folder.configuration()
    }

    /// Makes an empty database at the configured path.
    private func makeDatabase() async throws { try await folder.makeLedger(configuration) }

    /// Runs statements on the database; false, with a message, where Python's SQLite is missing.
    private func sql(_ statements: String, on path: String) async throws -> Bool {
        let script = "import sqlite3,sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.close()"
        guard try await Program.run("python3", ["-c", "import sqlite3"], in: folder).code == 0 else {
            print("skipped: Python without SQLite")
            return false
        }
        let ending = try await Program.run("python3", ["-c", script, path, statements], in: folder)
        #expect(ending.code == 0, "\(ending)")
        return ending.code == 0
    }

    @Test(arguments: ["list", "verify"]) func anAbsentDatabase(_ command: String) async throws {
        for arguments in [["--config", configuration], ["--database", "nowhere.db"]] {
            let ending = try await folder.gatehouse(["ledger", command] + arguments)
            #expect(ending.code == 2, "\(ending)")
            #expect(ending.hasRemedy && ending.errors.contains("there is no ledger at "))
            #expect(ending.output.isEmpty)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path(database)), "reading makes nothing")
    }

    @Test func anEmptyDatabase() async throws {
        try await makeDatabase()
        let list = try await folder.gatehouse("ledger", "list", "--config", configuration)
        #expect(list.code == 0)
        #expect(list.lines == ["no visit recorded yet"])
        let machine = try await folder.gatehouse("ledger", "list", "--json", "--config", configuration)
        #expect(machine.code == 0)
        #expect(machine.output.isEmpty)
        let verify = try await folder.gatehouse("ledger", "verify", "--json", "--database", database)
        #expect(verify.code == 0, "\(verify)")
        #expect(verify.json.first?["intact"] == true)
        #expect(verify.json.first?["entries"]?.int == 0)
        let people = try await folder.gatehouse("ledger", "verify", "--config", configuration)
        #expect(people.lines.first?.hasPrefix("intact: 0 entries") == true)
        let none = try await folder.gatehouse("ledger", "list", "--last", "0", "--config", configuration)
        #expect(none.code == 2)
    }

    /// Returns the record of an outcome as the program writes it.
    private func record(_ seq: Int, _ result: String, _ codes: [String]) -> String {
        let reasons = codes.map { "{\"code\":\"\($0)\"}" }.joined(separator: ",")
        return """
            {"v":1,"kind":"outcome","seq":\(seq),"visit":"visit-\(seq)","intent":\(seq),"kiosk":"gate-1","boot":"b007",\
            "time":"2026-01-01T00:00:00.000Z","clock":"rtc","monotonic":5000000000,"result":"\(result)",\
            "reasons":[\(reasons)],"credential":null,"session":null,"gate":{"opened":false,"pulseMs":0},\
            "software":{"name":"gatehouse","version":"0.1.0"},"dropped":0}
            """
    }

    @Test func remediesForAVisit() async throws {
        try await makeDatabase()
        let visits = [
            ("accepted", ["ok", "policy.staff"]), ("rejected", ["validity.expired", "trust.stale"]),
            ("failed", ["transfer.TVV_UNK_001", "transfer.silence"]),
            ("failed", ["transfer.TVV_UNK_003"]),  // as versions before the second reason recorded it
            ("interrupted", ["interrupted"]), ("rejected", ["policy.staff"]), ("rejected", ["code.of-a-later-version"]),
        ]
        let rows = visits.enumerated().map { number, visit in
            let body = record(number + 1, visit.0, visit.1)
            return
                "(\(number + 1), 'outcome', 'visit-\(number + 1)', \(number + 1), zeroblob(32), CAST('\(body)' AS BLOB))"
        }
        guard try await sql("INSERT INTO entry VALUES \(rows.joined(separator: ", "));", on: database) else { return }
        let list = try await folder.gatehouse("ledger", "list", "--config", configuration)
        #expect(list.code == 0, "\(list)")
        let machine = try await folder.gatehouse("ledger", "list", "--json", "--config", configuration)
        #expect(machine.json.count == visits.count)
        // No agent was ever configured.
        #expect(machine.json.allSatisfy { $0["report"] == "none" }, "\(machine)")
        let shown = list.lines.filter { $0.hasPrefix("2026-01-01") }
        #expect(shown.count == visits.count && shown.allSatisfy { $0.dropFirst(47).hasPrefix("none") }, "\(list)")
        var remedies: [Text?] = []
        for code in ["validity.expired", "transfer.silence", "transfer.TVV_UNK_003", "interrupted", "policy.staff"] {
            remedies.append(try await folder.gatehouse("reasons", "--json", code).json.first?["remedy"]?.string)
        }
        // Newest first; the accepted one has no remedy, and the last code is unknown.
        #expect(machine.json.map { $0["remedy"]?.string } == ([nil] + remedies + [nil]).reversed())
        #expect(Set(remedies).count == 5)
        #expect(list.lines.allSatisfy { $0.count <= 80 })
        #expect(list.lines.count { $0.hasPrefix("  → ") } == 5)
        let told = list.output.replacingOccurrences(of: "\n    ", with: " ")
        for remedy in remedies { #expect(told.contains("\n  → \(remedy?.string ?? "?")\n"), "\(list)") }
        #expect(list.output.contains("transfer.TVV_UNK_001\n  transfer.silence\n  → "), "\(list)")
        let short = try #require(list.lines.firstIndex { $0.contains(" accepted ") })
        #expect(list.lines[short].hasSuffix(" ok policy.staff") && short == list.lines.count - 1)
    }

    @Test(arguments: ["list", "verify"]) func aDamagedDatabase(_ command: String) async throws {
        try folder.write("garbage.db", "this is not a database, however long one looks at it")
        let garbage = try await folder.gatehouse("ledger", command, "--database", "garbage.db")
        #expect(garbage.code == 2, "\(garbage)")
        #expect(garbage.hasRemedy && garbage.errors.contains("damaged"))

        try await makeDatabase()
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path(database))))
        #expect(bytes.count > 8192)
        for index in 4096..<bytes.count { bytes[index] = 0xA5 }
        try folder.write("torn.db", bytes)
        let torn = try await folder.gatehouse("ledger", command, "--database", "torn.db")
        #expect(torn.code == 2, "\(torn)")
        #expect(torn.hasRemedy && torn.errors.contains("damaged"), "\(torn)")
    }

    @Test func aDatabaseOfAnotherProgram() async throws {
        guard try await sql("CREATE TABLE recipe (name TEXT);", on: "other.db") else { return }
        let ending = try await folder.gatehouse("ledger", "verify", "--database", "other.db")
        #expect(ending.code == 2)
        #expect(ending.hasRemedy && ending.errors.contains("not a Gatehouse database"))
    }

    @Test func aFalsifiedChain() async throws {
        try await makeDatabase()
        let forged = """
            INSERT INTO entry VALUES (1, 'intent', 'forged', 1, zeroblob(32), x'7B7D');
            UPDATE chain SET count = 1, next_seq = 2;
            """
        guard try await sql(forged, on: database) else { return }
        let machine = try await folder.gatehouse("ledger", "verify", "--json", "--config", configuration)
        #expect(machine.code == 1, "\(machine)")
        #expect(machine.json.first?["intact"] == false)
        #expect(machine.json.first?["findings"]?.array?.isEmpty == false)
        let people = try await folder.gatehouse("ledger", "verify", "--config", configuration)
        #expect(people.code == 1)
        #expect(people.lines.first?.hasPrefix("intact") == false)
    }
}
