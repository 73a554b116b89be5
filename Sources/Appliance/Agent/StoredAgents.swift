package import Aries
package import Encoding
import Ledger
package import Store

/// The kiosk's database as the keeper of connections.
extension Store: ConnectionStore {
    /// The stored snapshots by connection id.
    package func loadConnections() async throws -> [(id: Text, snapshot: [UInt8])] { try await connections() }

    /// Keeps a snapshot durably.
    package func keepConnection(_ id: Text, _ snapshot: [UInt8]) async throws {
        try await saveConnection(id, snapshot)
    }

    /// Forgets a connection.
    package func forgetConnection(_ id: Text) async throws { try await deleteConnection(id) }
}

/// The reports in the kiosk's database, oldest first.
package struct StoredOutbox: Outbox {
    private let store: Store
    private let utc: @Sendable () -> Timestamp

    /// The outbox of `store`; `utc` dates the changes of state.
    package init(_ store: Store, utc: @escaping @Sendable () -> Timestamp) {
        (self.store, self.utc) = (store, utc)
    }

    /// The oldest report that was not sent.
    package func nextReport() async throws -> OutboundReport? {
        guard let report = try await store.pendingReports(limit: 1).first else { return nil }
        // The bytes were made by this program; its own date in them is that of the message, too.
        let content = Text(String(decoding: report.content, as: UTF8.self))
        let time = (try? JSON.parse(report.content))?["time"]?.string ?? Text(report.since.rfc3339)
        return OutboundReport(id: report.id, content: content, time: time)
    }

    /// The peer's server took these reports.
    package func reportsSent(_ ids: [Text]) async throws { try await store.markSent(ids, at: utc()) }

    /// The peer acknowledged these ids.
    package func reportsAcknowledged(_ ids: [Text]) async throws { try await store.markAcknowledged(ids, at: utc()) }
}
