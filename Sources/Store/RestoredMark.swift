package import Encoding
import GRDB
import Ledger

/// Lies in a database that was put back from a backup, until a start sees it: that start begins a new ledger, which names the one
/// here. What the box recorded behind the backup may be with the agents already, so no position may be given twice.
///
/// The key of the witness vouches for it: anybody who can write the database can put something of this form into it, and a start would
/// take a ledger that was changed for one that was put back.
package struct RestoredMark: Hashable, Sendable {
    /// The setting that holds it.
    static let setting: Text = "restored"
    /// Numbers of visits left out: more than a busy gate gives between two backups.
    static let gap = 1_000_000

    /// What was done, in words, for the new ledger's first record.
    package var finding: Text
    /// ``WitnessKey/code(ofRestore:_:after:)``; empty where no key was there.
    private var code: [UInt8] = []

    /// A mark with these words, for which nobody vouches yet.
    package init(finding: Text) { self.finding = finding }

    /// The mark in a database; nil where there is none. One that cannot be read is a mark all the same.
    init?(_ db: Database) throws {
        guard let bytes = try Store.setting(Self.setting, db) else { return nil }
        let json = try? JSON.parse(bytes)
        self.init(finding: json?["finding"]?.string ?? "the database was put back from a backup")
        code = (json?["code"]?.string?.string).flatMap { Hex.decode($0) } ?? []
    }

    /// Lets a key vouch for it, over the state that was put back and what the witness says at that time.
    mutating func vouch(_ key: WitnessKey, _ state: LedgerState, _ reading: WitnessReading) {
        code = key.code(ofRestore: finding, state, after: reading.head?.number ?? 0)
    }

    /// Whether the key of the witness vouches for it. Where a start has no key to look with, or has just made one and nothing speaks of
    /// another, there was none at the restore either, and it counts as it is.
    func isVouched(by witness: Witness?, _ state: LedgerState, _ reading: WitnessReading?) -> Bool {
        guard let witness, let reading, !(witness.keyIsNew && reading == .absent) else { return true }
        return code == witness.key.code(ofRestore: finding, state, after: reading.head?.number ?? 0)
    }

    func save(_ db: Database) throws {
        let json: JSON = ["finding": .string(finding), "code": .text(Hex.encode(code))]
        try Store.save(Self.setting, json.compactBytes, db)
    }
}
