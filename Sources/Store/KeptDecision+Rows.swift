import Encoding
import Foundation
import GRDB
import Ledger

extension KeptDecision {
    /// Two lengths in bytes, for a table with pages of 512 bytes. `least`: the content length with which a row fills
    /// its share of a page and one overflow page. `step`: the additional length with each further overflow page.
    private static let (least, step) = (981, 508)

    /// The bytes of the decision, padded with spaces so that most decisions have the same length. Replacing a row by a
    /// row of equal length writes two pages; any other replacement writes four.
    private var paddedBytes: [UInt8] {
        let steps = max(0, bytes.count - Self.least + Self.step - 1) / Self.step
        let length = Self.least + steps * Self.step
        return bytes + [UInt8](repeating: UInt8(ascii: " "), count: length - bytes.count)
    }

    /// Returns the stored decisions by the id of their intent, including decisions that are no longer needed. A
    /// database of an earlier version has none. An unreadable decision is omitted: the open intents then do not match
    /// their hash in the ledger's seal, so the loss of the decision is noticed.
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

    /// Writes the decision into its slot of the table.
    func save(_ db: Database) throws {
        try db.cachedStatement(
            sql: "INSERT INTO decision VALUES (?1, ?2) ON CONFLICT (slot) DO UPDATE SET content = ?2"
        ).execute(arguments: [slot, Data(paddedBytes)])
    }
}
