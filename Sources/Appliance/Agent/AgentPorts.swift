package import Aries
package import Encoding

/// Keeps the state of connections. A snapshot holds secret keys: whoever keeps it must keep others from reading it.
package protocol ConnectionStore: Sendable {
    /// The stored snapshots by connection id.
    func loadConnections() async throws -> [(id: Text, snapshot: [UInt8])]
    /// Keeps a snapshot; it is durable when this returns.
    func keepConnection(_ id: Text, _ snapshot: [UInt8]) async throws
    /// Forgets a connection; nothing happens when it is not there.
    func forgetConnection(_ id: Text) async throws
}

/// The reports that wait for delivery.
package protocol Outbox: Sendable {
    /// The oldest report that was not sent; nil when there is none.
    func nextReport() async throws -> OutboundReport?
    /// The peer's server took these reports.
    func reportsSent(_ ids: [Text]) async throws
    /// The peer acknowledged these ids; unknown ones are passed over.
    func reportsAcknowledged(_ ids: [Text]) async throws
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
