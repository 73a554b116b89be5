import Credentials
import Kiosk
import LinuxIO
import Store

/// Waits at the start for the one thing that nothing can be done without, the ledger: as a state that is told, in place of an end
/// that systemd would repeat every second.
///
/// Until it is over the radio is silent and the gate shut. SIGTERM ends the program as it ends any other: nothing is under way.
struct Waiting: Sendable {
    /// Hears what is waited for, whenever that changes.
    let report: HealthReporter
    /// systemd, which is told that the box is up, and fed meanwhile.
    let manager: ServiceManager
    /// Lights the lamps.
    let show: @Sendable (Signal) -> Void
    /// From one attempt to the next, in whole seconds.
    var attempts = 5
    /// A second, but in tests.
    var second = Duration.seconds(1)

    /// Does `work` until it succeeds. Throws only when its task is cancelled.
    func forLedger<Value: Sendable>(
        _ work: @Sendable () async throws(StoreError) -> Value
    ) async throws(CancellationError) -> Value {
        var told: StoreError?
        while true {
            do throws(StoreError) {
                let value = try await work()
                if told != nil { report(.over(.ledgerUnopened)) }
                return value
            } catch {
                if error != told { report(.present(.ledgerUnopened, detail: error.description)) }
                let status = "waiting for the ledger: \(error.text)"
                if told == nil { manager.ready(status: status) } else { manager.status(status) }
                told = error
            }
            for number in 0..<attempts {
                manager.alive()
                // As the pattern of a fault: red and amber in turn.
                show(Signal(number.isMultiple(of: 2) ? [.red] : [.amber]))
                do { try await Task.sleep(for: second) } catch { throw CancellationError() }
            }
        }
    }
}
