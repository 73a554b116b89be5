package import Encoding

/// The delivery state of a report, as `gatehouse ledger list` shows it.
package enum ReportState: String, CaseIterable, Sendable {
    /// The destination has not confirmed the report: it waits or is being sent.
    case queued
    /// The destination has confirmed the entry of the report, and all entries before it.
    case confirmed
    /// No destination exists, because no agent was ever connected.
    case nobody = "none"
}

/// How much of the ledger one destination has confirmed: the operator's agent (``primary``) or a named copy
/// agent.
///
/// The ledger is the outbox. The entries that wait for a destination are those after its cursor, so no report
/// is queued or marked separately. The connection is only the present route to the destination and can be
/// replaced at any time.
package struct DeliveryCursor: Hashable, Sendable {
    /// The destination for which the ledger keeps entries until they are confirmed.
    package static let primary: Text = "primary"
    /// The largest number of destinations of a gate, including the primary one.
    package static let limit = 9

    /// The destination that the cursor belongs to.
    package let destination: Text
    /// The highest position up to which the destination has confirmed all entries; 0: it has confirmed none.
    package private(set) var confirmed: Int
    /// The id of the connection that is the present route to the destination; nil: no connection exists, and
    /// no entry is kept for the destination.
    package private(set) var connection: Text?
    /// The position and hash of the last entry for which the destination gave a receipt. Every later state of
    /// the ledger must contain this entry. Nil before the first receipt.
    package private(set) var receipt: Checkpoint?

    /// Creates a cursor from the values of its properties. With the defaults it is the cursor of a new
    /// destination.
    package init(_ destination: Text, confirmed: Int = 0, connection: Text? = nil, receipt: Checkpoint? = nil) {
        (self.destination, self.confirmed, self.connection, self.receipt) = (
            destination, confirmed, connection, receipt
        )
    }

    /// The position of the first entry that must not be evicted before the destination has received it; nil:
    /// no entry is kept for the destination.
    package var firstUnconfirmed: Int? { connection == nil ? nil : confirmed + 1 }

    /// Whether the destination has a connection, or once had one and confirmed entries over it. In the second
    /// case the waiting entries are kept for the next connection.
    package var isKnown: Bool { connection != nil || confirmed > 0 }

    /// Returns the delivery state of the entry at `position`.
    package func state(of position: Int) -> ReportState {
        position <= confirmed ? .confirmed : isKnown ? .queued : .nobody
    }

    /// Records that the destination has confirmed every entry up to `position`. A position beyond the end, or
    /// a position confirmed before, changes nothing. `receipt`: the hash in the destination's receipt, if it
    /// gave one. Returns whether the cursor moved.
    package mutating func confirm(upTo position: Int, end: ChainPoint, receipt: ChainHash? = nil) -> Bool {
        guard position > confirmed, position <= end.count else { return false }
        confirmed = position
        if let receipt { self.receipt = Checkpoint(ledger: nil, count: position, hash: receipt) }
        return true
    }

    /// Makes another connection the route to the destination. It continues where the previous one ended.
    package mutating func takeOver(by connection: Text) { self.connection = connection }

    /// Removes the route to the destination. No entry is kept for it until another connection takes over.
    package mutating func letGo() { connection = nil }

    /// Returns the cursor of the same destination for a new ledger, whose positions begin at 1.
    package var inNewLedger: DeliveryCursor { DeliveryCursor(destination, connection: connection) }
}
