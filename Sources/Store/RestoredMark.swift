package import Encoding
import GRDB
import Ledger

/// The mark in a database that was restored from a backup. The next start begins a new ledger, which names the restored
/// ledger, and removes the mark. The agents may already have entries that the gate recorded after the backup, so no
/// position may be assigned twice.
///
/// The witness's key authenticates the mark. Otherwise an attacker who can write the database could insert a mark, and
/// a start would mistake a changed ledger for a restored ledger.
package struct RestoredMark: Hashable, Sendable {
    /// The name of the setting that contains the mark.
    static let setting: Text = "restored"
    /// The count of skipped visit numbers: more than a busy gate assigns between two backups.
    static let gap = 1_000_000

    /// The description of the restore, for the new ledger's first record.
    package var finding: Text
    /// ``WitnessKey/code(ofRestore:_:after:)``; empty if there was no key.
    private var code: [UInt8] = []

    /// Creates an unauthenticated mark with the description `finding`.
    package init(finding: Text) { self.finding = finding }

    /// Reads the mark of a database; nil if there is none. An unreadable mark still counts as a mark.
    init?(_ db: Database) throws {
        guard let bytes = try Store.setting(Self.setting, db) else { return nil }
        let json = try? JSON.parse(bytes)
        self.init(finding: json?["finding"]?.string ?? "the database was restored from a backup")
        code = (json?["code"]?.string?.string).flatMap { Hex.decode($0) } ?? []
    }

    /// Authenticates the mark with a key. The code covers the restored state and the present statement of the witness.
    mutating func vouch(_ key: WitnessKey, _ state: LedgerState, _ reading: WitnessReading) {
        code = key.code(ofRestore: finding, state, after: reading.head?.number ?? 0)
    }

    /// Whether the witness's key authenticates the mark. If the start has no key, or has just made a key and no witness
    /// file indicates an earlier key, the restore had no key either. The mark then counts without authentication.
    func isVouched(by witness: Witness?, _ state: LedgerState, _ reading: WitnessReading?) -> Bool {
        guard let witness, let reading, !(witness.keyIsNew && reading == .absent) else { return true }
        return code == witness.key.code(ofRestore: finding, state, after: reading.head?.number ?? 0)
    }

    func save(_ db: Database) throws {
        let json: JSON = ["finding": .string(finding), "code": .text(Hex.encode(code))]
        try Store.save(Self.setting, json.compactBytes, db)
    }
}
