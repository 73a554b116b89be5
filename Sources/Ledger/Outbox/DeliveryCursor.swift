package import Encoding

/// The delivery state of a report, as `gatehouse ledger list` prints it.
package enum ReportState: String, CaseIterable, Sendable {
    /// The primary destination has not confirmed the report, which waits to be sent or is being sent.
    case queued
    /// The primary destination has confirmed the entry of the report and all earlier entries.
    case confirmed
    /// There is no primary destination, because no agent was ever connected.
    case nobody = "none"
}

/// The cursor of one destination: which part of the ledger the destination has confirmed. The destination is the
/// primary agent (``primary``) or a named copy agent.
///
/// The ledger itself is the outbox: all entries after the cursor wait for the destination, so reports are not stored or
/// marked separately. A connection leads to the destination at present and can be replaced.
package struct DeliveryCursor: Hashable, Sendable {
    /// The name of the primary destination. Entries stay in the ledger until this destination has confirmed them.
    package static let primary: Text = "primary"
    /// The largest number of destinations of a gate: the primary destination and eight copy agents.
    package static let limit = 9

    /// The name of the destination.
    package let destination: Text
    /// The position up to which the destination has confirmed all entries; 0 if it has confirmed none.
    package private(set) var confirmed: Int
    /// The id of the connection that leads to the destination; nil if there is none. Without a connection no entry is
    /// kept for the destination.
    package private(set) var connection: Text?
    /// The position and hash that the destination's last receipt confirms; nil before the first receipt. Every later
    /// state of the ledger must contain this entry.
    package private(set) var receipt: Checkpoint?

    /// Creates the cursor of `destination`. The defaults are those of a new destination.
    package init(_ destination: Text, confirmed: Int = 0, connection: Text? = nil, receipt: Checkpoint? = nil) {
        (self.destination, self.confirmed, self.connection, self.receipt) = (
            destination, confirmed, connection, receipt
        )
    }

    /// The position of the first entry that must be kept until the destination has received it; nil if no entry is kept
    /// for the destination.
    package var firstUnconfirmed: Int? { connection == nil ? nil : confirmed + 1 }

    /// Whether the destination has, or had, a connection: it is connected now, or it has confirmed entries before. If
    /// so, entries that wait are sent over the next connection.
    package var isKnown: Bool { connection != nil || confirmed > 0 }

    /// Returns the delivery state of the report of the entry at `position`.
    package func state(of position: Int) -> ReportState {
        position <= confirmed ? .confirmed : isKnown ? .queued : .nobody
    }

    /// Moves the cursor to `position`, up to which the destination has confirmed every entry. Returns false, and
    /// changes nothing, if `position` is confirmed already or beyond the end. `receipt`: the hash in the destination's
    /// receipt; nil if something else confirmed the entries.
    package mutating func confirm(upTo position: Int, end: ChainPoint, receipt: ChainHash? = nil) -> Bool {
        guard position > confirmed, position <= end.count else { return false }
        confirmed = position
        if let receipt { self.receipt = Checkpoint(ledger: nil, count: position, hash: receipt) }
        return true
    }

    /// Makes `connection` the connection that leads to the destination. Delivery continues after the cursor.
    package mutating func takeOver(by connection: Text) { self.connection = connection }

    /// Removes the connection that leads to the destination. No entry is kept for the destination until another
    /// connection takes over.
    package mutating func letGo() { connection = nil }

    /// The cursor of the same destination and connection in a new ledger, in which nothing is confirmed.
    package var inNewLedger: DeliveryCursor { DeliveryCursor(destination, connection: connection) }
}
