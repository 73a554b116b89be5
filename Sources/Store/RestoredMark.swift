package import Encoding
import GRDB
import Ledger

/// The mark in a database that was restored from a backup. The next start begins a new ledger without the mark; its
/// first record names the restored ledger. The reason: agents may already have entries that the gate recorded after
/// the backup, and no position may be assigned twice.
///
/// The witness's key authenticates the mark. Without that, an attacker who can write the database could insert a
/// mark, and a start would report a changed ledger as a restored ledger.
package struct RestoredMark: Hashable, Sendable {
    /// The name of the setting that contains the mark.
    static let setting: Text = "restored"
    /// The number of visit numbers that a new ledger skips after a restore: more than a busy gate assigns between two
    /// backups.
    static let gap = 1_000_000

    /// The description of the restore, which the new ledger's first record contains.
    package var finding: Text
    /// The authentication code of the mark (``WitnessKey/code(ofRestore:_:after:)``); empty if the restore had no
    /// key.
    private var code: [UInt8] = []

    /// Creates an unauthenticated mark with the description `finding`.
    package init(finding: Text) { self.finding = finding }

    /// Reads the mark in a database; nil if there is none. A mark in an unknown format is still a mark, without a
    /// valid code.
    init?(_ db: Database) throws {
        guard let bytes = try Store.setting(Self.setting, db) else { return nil }
        let json = try? JSON.parse(bytes)
        self.init(finding: json?["finding"]?.string ?? "the database was restored from a backup")
        code = (json?["code"]?.string?.string).flatMap { Hex.decode($0) } ?? []
    }

    /// Authenticates the mark with a key. The code covers the restored state and the number of the witness's present
    /// statement.
    mutating func vouch(_ key: WitnessKey, _ state: LedgerState, _ reading: WitnessReading) {
        code = key.code(ofRestore: finding, state, after: reading.head?.number ?? 0)
    }

    /// Returns whether the mark is valid: the witness's key authenticates it, or the restore had no key. The restore
    /// had none if this start has no key, or if it has just made the key and no witness file exists.
    func isVouched(by witness: Witness?, _ state: LedgerState, _ reading: WitnessReading?) -> Bool {
        guard let witness, let reading, !(witness.keyIsNew && reading == .absent) else { return true }
        return code == witness.key.code(ofRestore: finding, state, after: reading.head?.number ?? 0)
    }

    func save(_ db: Database) throws {
        let json: JSON = ["finding": .string(finding), "code": .text(Hex.encode(code))]
        try Store.save(Self.setting, json.compactBytes, db)
    }
}
