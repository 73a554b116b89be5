package import Encoding
import GRDB

/// Lies in a database that was put back from a backup, until a start sees it: that start begins a new ledger, which names the one
/// here. What the box recorded behind the backup may be with the agents already, so no position may be given twice.
package struct RestoredMark: Hashable, Sendable {
    /// The setting that holds it.
    static let setting: Text = "restored"
    /// Numbers of visits left out: more than a busy gate gives between two backups.
    static let gap = 1_000_000

    /// The code of the new ledger's first record.
    package var code: Text
    /// What was done, in words, for that record.
    package var finding: Text

    /// A mark of these parts.
    package init(code: Text, finding: Text) { (self.code, self.finding) = (code, finding) }

    /// The mark in a database; nil where there is none. One that cannot be read is a mark all the same.
    init?(_ db: Database) throws {
        guard let bytes = try Store.setting(Self.setting, db) else { return nil }
        let json = try? JSON.parse(bytes)
        self.init(
            code: json?["code"]?.string ?? "",
            finding: json?["finding"]?.string ?? "the database was put back from a backup")
    }

    func save(_ db: Database) throws {
        let json: JSON = ["code": .string(code), "finding": .string(finding)]
        try Store.save(Self.setting, json.compactBytes, db)
    }
}
