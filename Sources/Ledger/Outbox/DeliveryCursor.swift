package import Encoding

/// The delivery state of a report in the output of `gatehouse ledger list`.
package enum ReportState: String, CaseIterable, Sendable {
    /// The destination has not confirmed the report, which is waiting or being sent.
    case queued
    /// The destination has confirmed the entry of the report and all earlier entries.
    case confirmed
    /// No destination exists, because no agent was ever connected.
    case nobody = "none"
}

/// The part of the ledger that a destination has confirmed. A destination is the operator's agent (``primary``) or a
/// named copy agent.
///
/// The ledger is the outbox: the entries after the cursor wait for the destination, so no report is queued or marked
/// separately. The connection is only the present route to the destination and can be replaced.
package struct DeliveryCursor: Hashable, Sendable {
    /// The destination for which the ledger keeps entries until their confirmation.
    package static let primary: Text = "primary"
    /// The maximum number of destinations of a gate, including the primary destination.
    package static let limit = 9

    /// The destination that the cursor belongs to.
    package let destination: Text
    /// The highest position up to which the destination has confirmed all entries; 0 if it has confirmed none.
    package private(set) var confirmed: Int
    /// The id of the connection that is the present route to the destination. Without a connection (nil), no entry is
    /// kept for the destination.
    package private(set) var connection: Text?
    /// The position and hash of the last entry for which the destination gave a receipt; nil before the first receipt.
    /// Every later state of the ledger must contain this entry.
    package private(set) var receipt: Checkpoint?

    /// Creates a cursor from its properties. The defaults are those of a new destination.
    package init(_ destination: Text, confirmed: Int = 0, connection: Text? = nil, receipt: Checkpoint? = nil) {
        (self.destination, self.confirmed, self.connection, self.receipt) = (
            destination, confirmed, connection, receipt
        )
    }

    /// The position of the first entry that must not be evicted before the destination has received it; nil if no entry
    /// is kept for the destination.
    package var firstUnconfirmed: Int? { connection == nil ? nil : confirmed + 1 }

    /// Whether the destination has a connection, or once confirmed entries over a connection. In the second case the
    /// waiting entries are kept for the next connection.
    package var isKnown: Bool { connection != nil || confirmed > 0 }

    /// Returns the delivery state of the entry at `position`.
    package func state(of position: Int) -> ReportState {
        position <= confirmed ? .confirmed : isKnown ? .queued : .nobody
    }

    /// Records that the destination has confirmed every entry up to `position`. A position beyond the end, or an
    /// already confirmed position, changes nothing. `receipt`: the hash in the destination's receipt, if any. Returns
    /// whether the cursor moved.
    package mutating func confirm(upTo position: Int, end: ChainPoint, receipt: ChainHash? = nil) -> Bool {
        guard position > confirmed, position <= end.count else { return false }
        confirmed = position
        if let receipt { self.receipt = Checkpoint(ledger: nil, count: position, hash: receipt) }
        return true
    }

    /// Makes another connection the route to the destination. Delivery continues where the previous connection stopped.
    package mutating func takeOver(by connection: Text) { self.connection = connection }

    /// Removes the route to the destination. Until another connection takes over, no entry is kept for the destination.
    package mutating func letGo() { connection = nil }

    /// Returns the cursor of the destination for a new ledger, whose positions begin at 1.
    package var inNewLedger: DeliveryCursor { DeliveryCursor(destination, connection: connection) }
}
