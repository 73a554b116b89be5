package import Kiosk
package import LinuxIO
package import Settings
package import Store

/// Opens the courier's database next to the open ledger, and logs and reports the state of its keys.
package enum CourierOpening {
    /// Opens the database and moves the rows there that a ledger's file of an earlier version still has. If that move
    /// fails, the database is closed: nothing may change it before.
    package static func open(
        _ configuration: Configuration, besides store: Store, _ environment: [String: String], options: StoreOptions,
        log: LogSink, report: @escaping HealthReporter
    ) async throws(StoreError) -> CourierStore {
        let courier = try await CourierStore.open(
            besides: store.path, options: options, sealing: configuration.agent.sealing(environment))
        do throws(StoreError) {
            try await store.handOver(to: courier)
        } catch {
            await courier.close()
            throw error
        }
        LedgerOpening.tell(courier.keysAtRest, log, report)
        return courier
    }
}
