import Encoding
package import Kiosk
package import LinuxIO
package import Settings
package import Store

/// Opens the courier's database next to the open ledger, and logs and reports the state of its secret keys.
package enum CourierOpening {
    /// Opens the courier's database, and moves the rows about agents there from a ledger's file of an earlier
    /// version. If that move fails, closes the database again: no other change may precede the move.
    package static func open(
        _ configuration: Configuration, besides store: Store, _ environment: [String: String], options: StoreOptions,
        log: LogSink, report: @escaping HealthReporter
    ) async throws(StoreError) -> CourierStore {
        let courier = try await CourierStore.open(
            besides: store.path, options: options, sealing: configuration.agent.sealing(environment))
        do throws(StoreError) {
            tell(try await store.handOver(to: courier), log)
        } catch {
            await courier.close()
            throw error
        }
        LedgerOpening.tell(courier.keysAtRest, log, report)
        return courier
    }

    private static func tell(_ handOver: HandOver, _ log: LogSink) {
        if let copy = handOver.replaced {
            let reason = "the connections in the ledger's file replace others, which are kept in \(copy)"
            log.log(.warning, "agent.store", ["reason": .text(reason)])
        }
        if !handOver.damaged.isEmpty {
            let reason = "damaged and lost in the ledger's file: \(handOver.damaged.joined(separator: ", "))"
            log.log(.warning, "agent.store", ["reason": .text(reason)])
        }
    }
}
