package import Encoding

/// The entries of a replaced ledger that a destination had not confirmed. The old ledger is in a file next to
/// the database. Its remaining entries are delivered from that file, before any entry of the new ledger.
package struct PastDebt: Hashable, Sendable {
    /// How many earlier ledgers are kept for delivery, each in a file next to the database.
    package static let ledgers = 8

    /// The destination that lacks the entries.
    package let destination: Text
    /// The id of the earlier ledger.
    package let ledger: Text
    /// The position of the replaced ledger's last entry, and the hash that binds all entries before it.
    package let end: Checkpoint
    /// The position up to which the destination has confirmed all entries.
    package private(set) var confirmed: Int
    /// The largest possible number of outcomes after the confirmed position. They are lost if the file is
    /// lost.
    package private(set) var reports: Int

    /// Creates a debt from the values of its properties.
    package init(destination: Text, ledger: Text, end: Checkpoint, confirmed: Int, reports: Int) {
        (self.destination, self.ledger, self.end) = (destination, ledger, end)
        (self.confirmed, self.reports) = (confirmed, reports)
    }

    /// The number of entries that the destination has not confirmed yet.
    package var entries: Int { max(end.count - confirmed, 0) }

    /// Records that the destination has confirmed every entry up to `position`. These entries include
    /// `reports` outcomes.
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
