package import Clocks
import Encoding
package import Kiosk
import Ledger
package import LinuxIO
import Reasons
import ServiceLifecycle
package import Store

/// Compares the whole ledger with its seal and its witness, at the start and then every hour, concurrently with all
/// other work. Also writes the ledger's head to the log: an operator can compare the ledger with that event line.
package struct WitnessService: Service {
    private let store: Store
    private let report: HealthReporter
    private let log: LogSink
    private let times: Periodic

    /// Creates a service for the ledger in `store`. `report` receives the faults that a comparison finds. `clock`
    /// measures the time between two comparisons.
    package init(store: Store, report: @escaping HealthReporter, log: LogSink, clock: Clock) {
        (self.store, self.report, self.log) = (store, report, log)
        times = Periodic(every: .seconds(3600), by: clock)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await times.run { _ in
                await Self.logHead(store, log)
                await audit()
            }
        }
    }

    private func audit() async {
        do throws(StoreError) {
            let result = try await store.audit()
            guard !result.isIntact else { return }
            report(
                .present(
                    .ledgerRewritten, count: result.findings.count + result.moreFindings,
                    detail: result.findings.first?.text))
        } catch {
            if case .corrupt = error { report(.present(.ledgerRewritten, detail: error.text)) }
        }
    }

    /// Writes the event line `ledger.head`. Its member `at` has the form that `gatehouse ledger verify --head N:HASH`
    /// accepts.
    package static func logHead(_ store: Store, _ log: LogSink) async {
        guard let signed = await store.signedHead else { return }
        let head = signed.head
        log.log(
            .info, "ledger.head",
            [
                "at": .string(head.checkpoint.text), "ledger": .string(head.state.ledger),
                "revision": .int(head.state.revision),
                "key": .text(Hex.encode(signed.key)),
            ])
    }
}
