package import Aries
package import Encoding
package import Ledger
package import Store

/// Keeps the state of connections. A snapshot holds secret keys: whoever keeps it must keep others from reading it.
package protocol ConnectionStore: Sendable {
    /// The stored connections, the oldest first.
    func loadConnections() async throws -> [StoredConnection]
    /// Keeps a snapshot of a connection to `destination`, and with it the keys of inbound messages that led there; both are
    /// durable when this returns.
    func keepConnection(_ id: Text, to destination: Text, _ snapshot: [UInt8], handled: [[UInt8]]) async throws
    /// The keys of the last inbound messages that were applied, oldest first.
    func loadHandled() async throws -> [[UInt8]]
}

/// The ledger as the outbox of one destination. It knows which connection is the present way there: whoever was replaced gets
/// nothing more.
package protocol Outbox: Sendable {
    /// Makes `connection` the way to the destination, unless a newer one is. Returns the position behind which it goes on; nil
    /// when it has been replaced.
    func takeOver(by connection: Text) async throws -> Int?
    /// The entries behind `position`, at most `limit`; nil when `connection` has been replaced.
    func entries(after position: Int, limit: Int, over connection: Text) async throws -> OutboxEntries?
    /// The destination has confirmed everything up to `position`; the keys of inbound messages are remembered with it.
    func confirm(upTo position: Int, over connection: Text, handled: [[UInt8]]) async throws
}

/// Some entries of a ledger, in order.
package struct OutboxEntries: Sendable {
    /// The ledger's id.
    package var ledger: Text
    /// The entries.
    package var entries: [LedgerEntry]

    /// Entries of the ledger of that id.
    package init(ledger: Text, entries: [LedgerEntry]) { (self.ledger, self.entries) = (ledger, entries) }
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
