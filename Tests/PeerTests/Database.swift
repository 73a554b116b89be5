import Encoding
import Foundation

/// A PostgreSQL database with the operator's tables: `Tests/Peers/acapy/database`.
final class Database: Sendable {
    private let journal: Journal
    private let child: Child

    init(_ place: Workplace) throws {
        // The server refuses to run as root and then runs as the user nobody, which needs access to the
        // folder.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.folder.path)
        let script = Workplace.peers.appendingPathComponent("acapy/database").path
        child = try Child("/usr/bin/env", ["python3", "-B", script, place.path("db")], output: place.path("db.jsonl"))
        journal = Journal(place.path("db.jsonl"))
    }

    /// Sends a command and waits for the reply.
    @discardableResult
    func command(_ line: String) async throws -> JSON {
        let position = journal.position
        try child.send(line)
        let name = Text(String(line.prefix { $0 != " " }))
        let reply = try await journal.wait(from: position, within: .seconds(60), for: "reply to \(line)") {
            $0["reply"]?.string == name
        }.line
        if let error = reply["error"]?.string { throw PeerFailure("the database's \(line): \(error)") }
        return reply
    }

    /// Returns the number that a statement yields.
    func number(_ statement: String) async throws -> Int? {
        let rows = try await command("sql \(statement)")["rows"]?.array
        return rows?.first?.array?.first?.string.flatMap { Int($0.string) }
    }

    func stop() async throws {
        try await command("kill")
        child.closeInput()
        _ = try await child.wait(within: .seconds(25))
    }
}
