package import Aries
package import Encoding
package import Store

/// Stores the state of connections. A snapshot contains secret keys: an implementation must protect it from
/// other readers.
package protocol ConnectionStore: Sendable {
    /// Returns the stored connections, the oldest first.
    func loadConnections() async throws -> [StoredConnection]
    /// Stores a snapshot of a connection, which leads to `destination` from now on, together with the keys of
    /// the inbound messages that led to this state. Both are durable when this returns.
    func keepConnection(_ id: Text, to destination: Text, _ snapshot: [UInt8], handled: [[UInt8]]) async throws
    /// Returns the keys of the last inbound messages that were applied, oldest first.
    func loadHandled() async throws -> [[UInt8]]
    /// Forgets a connection with its keys.
    func forgetConnection(_ id: Text) async throws
    /// Marks a connection for deletion. It is forgotten once its peer was notified that it ends.
    func retireConnection(_ id: Text) async throws
    /// Quarantines a message that cannot be read, durably, with that reason. Above the limit, the oldest
    /// messages are deleted.
    func quarantine(_ message: MailboxMessage, reason: Text) async throws
}

/// The ledger as the outbox of one destination. The outbox knows the active connection of its destination.
/// For a connection that was replaced, which gets nothing more, the functions with an optional result return
/// nil.
package protocol Outbox: Sendable {
    /// Makes `connection` the active one of the destination, unless a newer one is.
    func takeOver(by connection: Text) async throws -> OutboxState?
    /// Returns the end of the ledger, signed if there is a key, and whether an entry after `position` is
    /// urgent, which means that something went wrong at the gate. An earlier ledger is delivered first, until
    /// the destination has all of it.
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
    /// Records that the destination has confirmed everything up to `point`. If `isReceipt` is set, `point` is
    /// kept as its receipt. The keys of inbound messages, `handled`, are stored with it. The destination
    /// refuses the entries at the positions `passedOver` and does not have them; they are counted as lost.
    /// Returns the ids of the connections that this one replaced and that are deleted because of this
    /// confirmation.
    func confirm(
        _ point: ReportPoint, isReceipt: Bool, passedOver: [Int], over connection: Text, handled: [[UInt8]]
    ) async throws -> [Text]
    /// Gives up the rest of `ledger`, an earlier ledger that the destination will never accept. The next
    /// ledger follows.
    func giveUp(_ ledger: Text, over connection: Text) async throws
}

/// The state of an outbox when a connection takes it over.
package struct OutboxState: Hashable, Sendable {
    /// The end of the ledger.
    package var end: ReportPoint
    /// The position up to which everything is confirmed.
    package var confirmed: Int
    /// The last receipt; nil when there is none.
    package var receipt: ReportPoint?
    /// Whether this is an earlier ledger. The ledger that replaced it is delivered next.
    package var isPast: Bool

    /// Creates a state of these parts.
    package init(end: ReportPoint, confirmed: Int, receipt: ReportPoint? = nil, isPast: Bool = false) {
        (self.end, self.confirmed, self.receipt, self.isPast) = (end, confirmed, receipt, isPast)
    }
}

/// The monotonic clock of a link.
package struct AgentClock: Sendable {
    /// The time now.
    package var now: @Sendable () -> Instant
    /// Returns at that time, or earlier if the task is cancelled.
    package var sleep: @Sendable (Instant) async -> Void

    /// Creates a clock of its two functions.
    package init(now: @escaping @Sendable () -> Instant, sleep: @escaping @Sendable (Instant) async -> Void) {
        (self.now, self.sleep) = (now, sleep)
    }

    /// Returns the system's monotonic clock that also runs during suspend; its zero is the call of this
    /// function.
    package static func system() -> AgentClock {
        let zero = ContinuousClock.now
        return AgentClock(
            now: { Instant(nanoseconds: zero.duration(to: .now).nanoseconds) },
            sleep: { until in
                try? await Task.sleep(
                    until: zero.advanced(by: .nanoseconds(until.nanoseconds)), tolerance: .milliseconds(20),
                    clock: .continuous)
            })
    }
}
