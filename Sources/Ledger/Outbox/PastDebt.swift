package import Encoding

/// The unconfirmed entries of a replaced ledger for one destination. The replaced ledger is in a file next to the
/// database. Its entries are delivered before any entry of the new ledger.
package struct PastDebt: Hashable, Sendable {
    /// The maximum number of earlier ledgers that are kept for delivery, each in a file next to the database.
    package static let ledgers = 8

    /// The destination that lacks the entries.
    package let destination: Text
    /// The id of the earlier ledger.
    package let ledger: Text
    /// The last position of the replaced ledger, and the hash that binds all its entries.
    package let end: Checkpoint
    /// The position up to which the destination has confirmed all entries.
    package private(set) var confirmed: Int
    /// The maximum number of outcomes after the confirmed position. These outcomes are lost if the file is lost.
    package private(set) var reports: Int

    /// Creates a debt from the values of its properties.
    package init(destination: Text, ledger: Text, end: Checkpoint, confirmed: Int, reports: Int) {
        (self.destination, self.ledger, self.end) = (destination, ledger, end)
        (self.confirmed, self.reports) = (confirmed, reports)
    }

    /// The number of entries that the destination has not confirmed.
    package var entries: Int { max(end.count - confirmed, 0) }

    /// Records that the destination has confirmed every entry up to `position`, including `reports` outcomes.
    package mutating func confirm(upTo position: Int, reports: Int) {
        guard position > confirmed else { return }
        confirmed = min(position, end.count)
        self.reports = max(self.reports - reports, 0)
    }

    /// The fields that a seal covers.
    package var fields: [[UInt8]] {
        [Array("debt".utf8), Array(destination.utf8), Array(ledger.utf8), Array(end.text.utf8)]
            + [confirmed, reports].map { Array(String($0).utf8) }
    }
}
