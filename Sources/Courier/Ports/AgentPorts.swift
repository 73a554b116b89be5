package import Aries
package import Encoding
package import Mailboxes
package import Store

/// Stores the state of connections. A snapshot contains secret keys: an implementation must protect it from
/// other readers.
package protocol ConnectionStore: Sendable {
    /// Returns the stored connections, the oldest first.
    func loadConnections() async throws -> [StoredConnection]
    /// Stores a snapshot of a connection together with the keys of the inbound messages that led to this state, with
    /// the messages that are added to the message book, and with the results of answers to its questions. The
    /// connection leads to `destination` from now on. All is durable when the function returns.
    func keepConnection(
        _ id: Text, to destination: Text, _ snapshot: [UInt8], handled: [[UInt8]], messages: [MessageEntry],
        answers: [AnswerChange]
    ) async throws
    /// Returns the keys of the last inbound messages that were applied, oldest first.
    func loadHandled() async throws -> [[UInt8]]
    /// Forgets a connection with its keys.
    func forgetConnection(_ id: Text) async throws
    /// Marks a connection for deletion. The gate forgets the connection once the peer was notified of the end.
    func retireConnection(_ id: Text) async throws
    /// Quarantines durably a message that cannot be read, with `reason`. If more messages are quarantined
    /// than the limit allows, the oldest ones are deleted.
    func quarantine(_ message: MailboxMessage, reason: Text) async throws
}

extension ConnectionStore {
    /// Stores a snapshot that changes nothing in the message book.
    package func keepConnection(
        _ id: Text, to destination: Text, _ snapshot: [UInt8], handled: [[UInt8]]
    ) async throws {
        try await keepConnection(id, to: destination, snapshot, handled: handled, messages: [], answers: [])
    }
}

/// The ledger as the outbox of one destination. The outbox knows the active connection of its destination. A
/// connection that was replaced gets no further entries: for it, the functions with an optional result return
/// nil.
package protocol Outbox: Sendable {
    /// Makes `connection` the active one of the destination, unless a newer connection is active.
    func takeOver(by connection: Text) async throws -> OutboxState?
    /// Returns the end of the ledger, signed if there is a key, and whether an entry after `position` is
    /// urgent. An urgent entry says that something went wrong at the gate. While the destination lacks
    /// entries of an earlier ledger, the result is about that ledger.
    func end(after position: Int, over connection: Text) async throws -> (end: ReportPoint, isUrgent: Bool)?
    /// Returns the entries of `ledger` after `position`: at most `limit` entries of about `bytes` bytes in
    /// total, with their reports if `reports` is set. Empty if another ledger is delivered now.
    func entries(
        of ledger: Text, after position: Int, limit: Int, bytes: Int, reports: Bool, over connection: Text
    ) async throws -> [ReportEntry]?
    /// Returns the hash of the entry of `ledger` at `position`; nil if it is not kept, or if another ledger
    /// is delivered now.
    func hash(of ledger: Text, at position: Int) async throws -> [UInt8]?
    /// Returns whether this gate signed that head.
    func hasSigned(_ head: ReportPoint) -> Bool
    /// Records that the destination has confirmed every entry up to `point`. If `isReceipt` is set, `point`
    /// is kept as the destination's receipt. `handled`, the keys of inbound messages, may become durable later than
    /// the confirmation: such a message may be applied twice. The destination refuses the entries at the positions
    /// `passedOver` and does not have them; these entries are counted as lost. Returns the ids of the connections that
    /// this one replaced and that are deleted because of this confirmation.
    func confirm(
        _ point: ReportPoint, isReceipt: Bool, passedOver: [Int], over connection: Text, handled: [[UInt8]]
    ) async throws -> [Text]
    /// Gives up the rest of `ledger`, an earlier ledger that the destination will never accept. The entries
    /// of the ledger after it are delivered next.
    func giveUp(_ ledger: Text, over connection: Text) async throws
}

/// The state of an outbox when a connection takes it over.
package struct OutboxState: Hashable, Sendable {
    /// The end of the ledger.
    package var end: ReportPoint
    /// The position up to which all entries are confirmed.
    package var confirmed: Int
    /// The last receipt of the destination; nil when it has sent no receipt.
    package var receipt: ReportPoint?
    /// Whether the ledger of this state is an earlier one. The ledger that replaced it is delivered next.
    package var isPast: Bool

    /// Creates a state from the values of its properties.
    package init(end: ReportPoint, confirmed: Int, receipt: ReportPoint? = nil, isPast: Bool = false) {
        (self.end, self.confirmed, self.receipt, self.isPast) = (end, confirmed, receipt, isPast)
    }
}
