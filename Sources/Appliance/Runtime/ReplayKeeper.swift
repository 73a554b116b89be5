package import Encoding
package import Ledger
package import Store

/// Keeps on disk who was let in, beside the gate: nobody waits for it. What a power cut takes with it is the visit whose record it
/// takes too, and whose intent says so; a disk that refuses costs the memory of a restart, never that of the running service.
package final class ReplayKeeper: Sendable {
    /// Visits that wait for the disk, at most; the newest are kept.
    package static let waiting = 1024

    private let store: Store
    private let date: @Sendable () -> Timestamp
    private let visits: AsyncStream<(names: [ReplayName], at: Timestamp)>
    private let continuation: AsyncStream<(names: [ReplayName], at: Timestamp)>.Continuation

    /// A keeper over an open store; `date` is now.
    package init(store: Store, date: @escaping @Sendable () -> Timestamp) {
        (self.store, self.date) = (store, date)
        (visits, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.waiting))
    }

    /// Takes over the names of a visit that opened the gate.
    package func remember(_ names: [ReplayName]) { continuation.yield((names, date())) }

    /// Writes until ``finish()``.
    package func run() async {
        for await visit in visits {
            try? await store.rememberReplays(visit.names, at: visit.at)
        }
    }

    /// Lets ``run()`` end when everything taken over so far is written.
    package func finish() { continuation.finish() }
}
