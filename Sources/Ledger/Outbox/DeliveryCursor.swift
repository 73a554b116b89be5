package import Encoding

/// How far a report has come, as `gatehouse ledger list` shows it.
package enum ReportState: String, CaseIterable, Sendable {
    /// The destination has not confirmed it: it waits, or is on its way.
    case queued
    /// The destination has confirmed it and everything before it.
    case confirmed
    /// There is nobody who is to get it: no agent was ever connected.
    case nobody = "none"
}

/// How far the ledger has provably come to one destination: the operator's agent (``primary``) or a named copy.
///
/// The ledger is the outbox. What waits for a destination is what stands behind its cursor, so nothing is queued, marked or
/// queued again, and a connection, which is only the present way there, can be replaced at any time.
package struct DeliveryCursor: Hashable, Sendable {
    /// The destination for whose sake the ledger keeps what was not confirmed.
    package static let primary: Text = "primary"
    /// Destinations at most, the primary one among them.
    package static let limit = 9

    /// Whose cursor it is.
    package let destination: Text
    /// The highest position up to which the destination has confirmed everything; 0: nothing yet.
    package private(set) var confirmed: Int
    /// The id of the connection that is the present way there; nil: there is none, and nothing is owed.
    package private(set) var connection: Text?
    /// The hash of the last entry for which the destination gave a receipt, and its position: every later state of the ledger
    /// must contain it. Nil before the first receipt.
    package private(set) var receipt: Checkpoint?

    /// A cursor of these parts; without the last three that of a new destination.
    package init(_ destination: Text, confirmed: Int = 0, connection: Text? = nil, receipt: Checkpoint? = nil) {
        (self.destination, self.confirmed, self.connection, self.receipt) = (
            destination, confirmed, connection, receipt
        )
    }

    /// The position of the first entry that the destination must still get before it may go; nil: nothing is owed.
    package var firstOwed: Int? { connection == nil ? nil : confirmed + 1 }

    /// Whether anybody is there, or was once and has confirmed something: what waits then goes to whoever comes next.
    package var isKnown: Bool { connection != nil || confirmed > 0 }

    /// What the destination has of the entry at `position`.
    package func state(of position: Int) -> ReportState {
        position <= confirmed ? .confirmed : isKnown ? .queued : .nobody
    }

    /// The destination has confirmed everything up to `position`. A position that it cannot have, or had before, changes nothing.
    /// `receipt`: the hash that the destination gave a receipt for, if it did. Returns whether the cursor moved.
    package mutating func confirm(upTo position: Int, end: ChainPoint, receipt: ChainHash? = nil) -> Bool {
        guard position > confirmed, position <= end.count else { return false }
        confirmed = position
        if let receipt { self.receipt = Checkpoint(ledger: nil, count: position, hash: receipt) }
        return true
    }

    /// Another connection is the way there from now on; it goes on where the last one ended.
    package mutating func takeOver(by connection: Text) { self.connection = connection }

    /// The present way there is given up: until another one takes over nothing is owed.
    package mutating func letGo() { connection = nil }

    /// The cursor of the same destination in a new ledger, which begins with position 1.
    package var inNewLedger: DeliveryCursor { DeliveryCursor(destination, connection: connection) }
}
