package import Aries
package import Encoding
package import Store

/// Keeps the state of connections. A snapshot holds secret keys: whoever keeps it must keep others from reading it.
package protocol ConnectionStore: Sendable {
    /// The stored connections, the oldest first.
    func loadConnections() async throws -> [StoredConnection]
    /// Keeps a snapshot of a connection, from now on one to `destination`, and with it the keys of inbound messages that led there; both are
    /// durable when this returns.
    func keepConnection(_ id: Text, to destination: Text, _ snapshot: [UInt8], handled: [[UInt8]]) async throws
    /// The keys of the last inbound messages that were applied, oldest first.
    func loadHandled() async throws -> [[UInt8]]
    /// Forgets a connection with its keys.
    func forgetConnection(_ id: Text) async throws
    /// Marks a connection as one that is forgotten once its peer was told that it ends.
    func retireConnection(_ id: Text) async throws
    /// Puts a message aside that nobody here can read, for that reason, durably; the oldest ones go when there are too many.
    func quarantine(_ message: MailboxMessage, reason: Text) async throws
}

/// The ledger as the outbox of one destination. It knows which connection is the present way there: whoever was replaced gets
/// nothing more, which nil says.
package protocol Outbox: Sendable {
    /// Makes `connection` the way to the destination, unless a newer one is.
    func takeOver(by connection: Text) async throws -> OutboxState?
    /// The end of the ledger, signed if there is a key, and whether an entry after `position` is urgent, which means
    /// that something went wrong at the gate. An earlier ledger comes first, until the destination has all of it.
    func end(after position: Int, over connection: Text) async throws -> (end: ReportPoint, isUrgent: Bool)?
    /// The entries of `ledger` after `position`: at most `limit`, of about `bytes` together, with their reports if
    /// `reports` is set. Empty if another ledger is delivered now.
    func entries(
        of ledger: Text, after position: Int, limit: Int, bytes: Int, reports: Bool, over connection: Text
    ) async throws -> [ReportEntry]?
    /// The hash of the entry of `ledger` at `position`; nil if it is not kept, or if another ledger is delivered now.
    func hash(of ledger: Text, at position: Int) async throws -> [UInt8]?
    /// Whether this box signed that head.
    func hasSigned(_ head: ReportPoint) -> Bool
    /// The destination has confirmed everything up to `point`; with a receipt that is kept, where `isReceipt` says so. The keys of
    /// inbound messages are remembered with it. The entries at the positions `passedOver` it has not got: it refuses them, and they are
    /// counted as lost. Returns the connections that this one replaced and that go by that, their ids.
    func confirm(
        _ point: ReportPoint, isReceipt: Bool, passedOver: [Int], over connection: Text, handled: [[UInt8]]
    ) async throws -> [Text]
    /// Gives up the rest of `ledger`, an earlier ledger that the destination will never accept. The next one follows.
    func giveUp(_ ledger: Text, over connection: Text) async throws
}

/// Where an outbox stands when a connection takes it over.
package struct OutboxState: Hashable, Sendable {
    /// Where the ledger ends.
    package var end: ReportPoint
    /// Everything up to here is confirmed.
    package var confirmed: Int
    /// The last receipt; nil when there is none.
    package var receipt: ReportPoint?
    /// Whether this is an earlier ledger. The one that took its place is delivered next.
    package var isPast: Bool

    /// A state of these parts.
    package init(end: ReportPoint, confirmed: Int, receipt: ReportPoint? = nil, isPast: Bool = false) {
        (self.end, self.confirmed, self.receipt, self.isPast) = (end, confirmed, receipt, isPast)
    }
}

/// The monotonic clock of a link.
package struct AgentClock: Sendable {
    /// The time now.
    package var now: @Sendable () -> Instant
    /// Returns at that time, or earlier when the task is cancelled.
    package var sleep: @Sendable (Instant) async -> Void

    /// A clock made of its two functions.
    package init(now: @escaping @Sendable () -> Instant, sleep: @escaping @Sendable (Instant) async -> Void) {
        (self.now, self.sleep) = (now, sleep)
    }

    /// The machine's clock that also runs during suspend; its zero is the call of this function.
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
