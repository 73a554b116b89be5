package import Aries
package import Encoding
package import Mailboxes
package import Store

/// The storage for the state of connections. A snapshot contains secret keys, which an implementation must protect
/// from other users.
package protocol ConnectionStore: Sendable {
    /// Returns the stored connections, the oldest first.
    func loadConnections() async throws -> [StoredConnection]
    /// Stores a snapshot of a connection, whose destination is `destination` from now on. Stores in the same
    /// transaction: `handled`, the keys of the inbound messages that led to this state; `messages`, new entries for
    /// the message book; and `answers`, the results of answers to its questions. Everything is durable when the
    /// function returns.
    func keepConnection(
        _ id: Text, to destination: Text, _ snapshot: [UInt8], handled: [[UInt8]], messages: [MessageEntry],
        answers: [AnswerChange]
    ) async throws
    /// Returns the keys of the last handled inbound messages, oldest first.
    func loadHandled() async throws -> [[UInt8]]
    /// Removes a connection with its keys.
    func forgetConnection(_ id: Text) async throws
    /// Marks a connection for deletion. The gate removes it after it has notified the peer.
    func retireConnection(_ id: Text) async throws
    /// Quarantines durably a message that cannot be read, with the reason. If the quarantine exceeds its limits, the
    /// oldest messages are removed.
    func quarantine(_ message: MailboxMessage, reason: Text) async throws
}

extension ConnectionStore {
    /// Stores a snapshot without changes of the message book.
    package func keepConnection(
        _ id: Text, to destination: Text, _ snapshot: [UInt8], handled: [[UInt8]]
    ) async throws {
        try await keepConnection(id, to: destination, snapshot, handled: handled, messages: [], answers: [])
    }
}

/// The ledger as the outbox of one destination. Only the destination's active connection gets entries. For any other
/// connection, a function whose result is optional returns nil.
package protocol Outbox: Sendable {
    /// Makes `connection` the active one of the destination and returns the state of the outbox, unless a newer
    /// connection is active.
    func takeOver(by connection: Text) async throws -> OutboxState?
    /// Returns the end of the ledger, signed if the gate has a key, and whether an entry after `position` is urgent.
    /// An urgent entry reports a failure or a rejection at the gate. If the destination has not confirmed all entries
    /// of an earlier ledger, the result is about that ledger.
    func end(after position: Int, over connection: Text) async throws -> (end: ReportPoint, isUrgent: Bool)?
    /// Returns entries of `ledger` after `position`: at most `limit` entries and at most `bytes` bytes, but at least
    /// one entry. With `reports`, each entry includes its report. Returns no entries if another ledger is being
    /// delivered now.
    func entries(
        of ledger: Text, after position: Int, limit: Int, bytes: Int, reports: Bool, over connection: Text
    ) async throws -> [ReportEntry]?
    /// Returns the hash of the entry of `ledger` at `position`; nil if the ledger does not have it, or if another
    /// ledger is being delivered now.
    func hash(of ledger: Text, at position: Int) async throws -> [UInt8]?
    /// Returns whether the key of this gate has signed the given head.
    func hasSigned(_ head: ReportPoint) -> Bool
    /// Records that the destination has confirmed every entry up to `point`. If `isReceipt` is true, stores `point`
    /// as the destination's receipt. `handled`: keys of inbound messages, which may become durable later than the
    /// confirmation; such a message may then be applied twice. `passedOver`: the positions of entries that the
    /// destination refuses; their reports are counted as lost. Returns the ids of the connections that this
    /// connection has replaced and that are now marked for deletion.
    func confirm(
        _ point: ReportPoint, isReceipt: Bool, passedOver: [Int], over connection: Text, handled: [[UInt8]]
    ) async throws -> [Text]
    /// Stops the delivery of `ledger`, an earlier ledger whose remaining entries the destination never accepts. The
    /// entries of the next ledger are delivered next.
    func giveUp(_ ledger: Text, over connection: Text) async throws
}

/// The state of an outbox at the moment when a connection becomes the active one.
package struct OutboxState: Hashable, Sendable {
    /// The end of the ledger.
    package var end: ReportPoint
    /// The position up to which all entries are confirmed.
    package var confirmed: Int
    /// The last receipt of the destination; nil if it has sent none.
    package var receipt: ReportPoint?
    /// Whether this state is about an earlier ledger. The ledger that replaced it is delivered next.
    package var isPast: Bool

    /// Creates a state from the values of its properties.
    package init(end: ReportPoint, confirmed: Int, receipt: ReportPoint? = nil, isPast: Bool = false) {
        (self.end, self.confirmed, self.receipt, self.isPast) = (end, confirmed, receipt, isPast)
    }
}
