package import Encoding

/// The entries of a replaced ledger that a destination has not confirmed. The replaced ledger is in a file next to
/// the database. Its entries are delivered before those of the new ledger.
package struct PastDebt: Hashable, Sendable {
    /// The largest number of replaced ledgers that are kept for delivery, each in its own file.
    package static let ledgers = 8

    /// The destination that has not confirmed the entries.
    package let destination: Text
    /// The id of the replaced ledger.
    package let ledger: Text
    /// The position and hash of the last entry of the replaced ledger.
    package let end: Checkpoint
    /// The position up to which the destination has confirmed all entries of the replaced ledger.
    package private(set) var confirmed: Int
    /// An upper bound of the number of unconfirmed outcomes. They are lost if the file is lost.
    package private(set) var reports: Int

    /// Creates a value from the values of its properties.
    package init(destination: Text, ledger: Text, end: Checkpoint, confirmed: Int, reports: Int) {
        (self.destination, self.ledger, self.end) = (destination, ledger, end)
        (self.confirmed, self.reports) = (confirmed, reports)
    }

    /// The number of entries that the destination has not confirmed.
    package var entries: Int { max(end.count - confirmed, 0) }

    /// Records that the destination has confirmed every entry up to `position`; `reports` of the newly confirmed
    /// entries are outcomes.
    package mutating func confirm(upTo position: Int, reports: Int) {
        guard position > confirmed else { return }
        confirmed = min(position, end.count)
        self.reports = max(self.reports - reports, 0)
    }

    /// The fields over which the database's seal is computed.
    package var fields: [[UInt8]] {
        [Array("debt".utf8), Array(destination.utf8), Array(ledger.utf8), Array(end.text.utf8)]
            + [confirmed, reports].map { Array(String($0).utf8) }
    }
}
