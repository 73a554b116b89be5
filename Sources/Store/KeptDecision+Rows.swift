import Encoding
import Foundation
import GRDB
import Ledger

extension KeptDecision {
    /// The content that a row of a table with pages of 512 bytes has when it fills its part of a page and one page
    /// after it, and what a further page takes.
    private static let (least, step) = (981, 508)

    /// Its bytes with spaces after them, so that most have one length: a row that takes the place of one of its length
    /// writes two pages, any other one four.
    private var paddedBytes: [UInt8] {
        let steps = max(0, bytes.count - Self.least + Self.step - 1) / Self.step
        let length = Self.least + steps * Self.step
        return bytes + [UInt8](repeating: UInt8(ascii: " "), count: length - bytes.count)
    }

    /// The decisions by the ids of their intents, also those that say nothing more; none in a database of an earlier
    /// version. One that cannot be read is none, which the seal contradicts.
    static func read(_ db: Database) throws -> [Text: KeptDecision] {
        guard try db.tableExists("decision") else { return [:] }
        var decisions: [Text: KeptDecision] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT slot, content FROM decision ORDER BY slot") {
            let content = try row.bytes("content")
            let padding = content.reversed().prefix { $0 == UInt8(ascii: " ") }.count
            let decision = KeptDecision(slot: try row.figure("slot"), bytes: Array(content.dropLast(padding)))
            guard let intent = UnwrittenOutcome(bytes: decision.bytes)?.intent else { continue }
            decisions[intent] = decision
        }
        return decisions
    }

    /// Writes it into its place.
    func save(_ db: Database) throws {
        try db.cachedStatement(
            sql: "INSERT INTO decision VALUES (?1, ?2) ON CONFLICT (slot) DO UPDATE SET content = ?2"
        ).execute(arguments: [slot, Data(paddedBytes)])
    }
}
