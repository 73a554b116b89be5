import Credentials
import Encoding
import Kiosk
import LinuxIO
import Store
import Synchronization

/// Waits at the start for the one thing that nothing can be done without, the ledger: as a state that is told, in place of an end
/// that systemd would repeat every second.
///
/// Until it is over the radio is silent and the gate shut, and whoever asks how the service is hears why. SIGTERM ends the program
/// as it ends any other: nothing is under way.
struct Waiting: Sendable {
    /// Hears what is waited for, whenever that changes.
    let report: HealthReporter
    /// systemd, which is told that the box is up, and fed meanwhile.
    let manager: ServiceManager
    /// Lights the lamps.
    let show: @Sendable (Signal) -> Void
    /// Who asks is told this kiosk's name and version.
    let identity: StatusDesk.Identity
    /// Tells whoever asks or looks what that desk reports, until its task is cancelled.
    let serve: @Sendable (StatusDesk) async -> Void
    /// Whether somebody asked the program to end, and be started again as its configuration says now.
    var isAskedToEnd: @Sendable () -> Bool = { false }
    /// From one attempt to the next, in whole seconds.
    var attempts = 5
    /// A second, but in tests.
    var second = Duration.seconds(1)
    /// An attempt may take minutes, where an old ledger has to be brought to a newer form; nil: of ``manager``, as long as that is.
    var patience: ServicePatience?

    /// Does `work` until it succeeds; nil where the program is to end before that. Throws only when its task is cancelled.
    func forLedger<Value: Sendable>(
        _ work: @Sendable () async throws(StoreError) -> Value
    ) async throws(CancellationError) -> Value? {
        let patience = patience ?? ServicePatience(manager)
        let first: StoreError
        do throws(StoreError) { return try await patience.during(.starting("opening the ledger"), work) } catch {
            first = error
        }
        let health = Mutex(Health())
        tell(first, health)
        manager.ready(status: Self.status(first))
        let status = StatusDesk(
            identity, kiosk: { KioskStatus(waiting: health.withLock { $0 }, at: SystemClock.now()) }, parts: [],
            now: { (SystemClock.now(), SystemClock.utc()) })
        let serving = Task { [serve] in await serve(status) }
        let result: Result<Value?, CancellationError>
        do throws(CancellationError) {
            result = .success(
                try await retry(first, health) { () async throws(StoreError) in try await patience.during(.up, work) })
        } catch {
            result = .failure(error)
        }
        // The socket is free again before the service takes it.
        serving.cancel()
        await serving.value
        return try result.get()
    }

    private func retry<Value: Sendable>(
        _ first: StoreError, _ health: borrowing Mutex<Health>, _ work: @Sendable () async throws(StoreError) -> Value
    ) async throws(CancellationError) -> Value? {
        var told = first
        while true {
            for number in 0..<attempts {
                let isEnding = isAskedToEnd()
                manager.alive()
                // As the pattern of a fault: red and amber in turn.
                show(Signal(number.isMultiple(of: 2) ? [.red] : [.amber]))
                do { try await Task.sleep(for: second) } catch { throw CancellationError() }
                // A second later whoever asked has the answer.
                if isEnding { return nil }
            }
            do throws(StoreError) {
                let value = try await work()
                report(.over(.ledgerUnopened))
                return value
            } catch {
                if error != told { tell(error, health) }
                manager.status(Self.status(error))
                told = error
            }
        }
    }

    private func tell(_ error: StoreError, _ health: borrowing Mutex<Health>) {
        let present = HealthReport.present(.ledgerUnopened, detail: error.description)
        report(present)
        health.withLock { $0.take(present, at: SystemClock.now()) }
    }

    private static func status(_ error: StoreError) -> String { "waiting for the ledger: \(error.text)" }
}
