package import Encoding

/// What a destination had not confirmed of a ledger when another ledger took its place. The old ledger is in a file
/// beside the database. Its rest is delivered from there, before anything of the new one.
package struct PastDebt: Hashable, Sendable {
    /// How many earlier ledgers are kept for delivery, each in a file beside the database.
    package static let ledgers = 8

    /// The destination that lacks the entries.
    package let destination: Text
    /// The id of the earlier ledger.
    package let ledger: Text
    /// Its last entry, and the hash that binds all before.
    package let end: Checkpoint
    /// The destination has confirmed everything up to here.
    package private(set) var confirmed: Int
    /// Outcomes after that, at most: what is lost if the file is.
    package private(set) var reports: Int

    /// A debt of these parts.
    package init(destination: Text, ledger: Text, end: Checkpoint, confirmed: Int, reports: Int) {
        (self.destination, self.ledger, self.end) = (destination, ledger, end)
        (self.confirmed, self.reports) = (confirmed, reports)
    }

    /// Entries that are still owed.
    package var entries: Int { max(end.count - confirmed, 0) }

    /// The destination has confirmed everything up to `position`, and with it `reports` outcomes.
    package mutating func confirm(upTo position: Int, reports: Int) {
        guard position > confirmed else { return }
        confirmed = min(position, end.count)
        self.reports = max(self.reports - reports, 0)
    }

    /// The fields that a seal binds.
    package var fields: [[UInt8]] {
        [Array("debt".utf8), Array(destination.utf8), Array(ledger.utf8), Array(end.text.utf8)]
            + [confirmed, reports].map { Array(String($0).utf8) }
    }
}
