import Clocks
import Encoding
import Kiosk
import LinuxIO
import Monitoring
import Reasons
import Store
import Synchronization

/// Waits at the start until the ledger can be opened, because the gate cannot work without it. The wait is a
/// reported state; an exit would make systemd restart the program every second.
///
/// During the wait the radio is silent and the gate shut, and status requests are answered with the reason.
/// SIGTERM ends the program in its default way, because nothing is in progress.
struct Waiting: Sendable {
    /// The number of seconds between two attempts.
    static let pause = 5

    /// Receives the fault that the program waits for, whenever it changes.
    let report: HealthReporter
    /// The connection to systemd. The program uses it to notify systemd that the program is up, and to send watchdog
    /// notifications during the wait.
    let manager: ServiceManager
    /// Lights the lamps.
    let show: @Sendable (Signal) -> Void
    /// The identity of the gate in status reports.
    let identity: StatusReporter.Identity
    /// Measures the time between two attempts.
    let clock: Clock
    /// Starts the queries of status reports.
    let spawner: Spawner
    /// Answers requests and publishes the state with the given router until its task is cancelled.
    let serve: @Sendable (StatusReporter) async -> Void
    /// Whether a restart was requested.
    var isAskedToEnd: @Sendable () -> Bool = { false }
    /// Keeps systemd satisfied during an attempt, which may take minutes if an old ledger must be migrated;
    /// nil: the waiting code makes one from ``manager``.
    var patience: SystemdTimeoutExtension?

    /// Repeats `work` until it succeeds. Returns nil if a restart was requested before that. Throws only when
    /// its task is cancelled.
    func forLedger<Value: Sendable>(
        _ work: @Sendable () async throws(StoreError) -> Value
    ) async throws(CancellationError) -> Value? {
        let patience = patience ?? SystemdTimeoutExtension(manager)
        let first: StoreError
        do throws(StoreError) { return try await patience.during(.starting("opening the ledger"), work) } catch {
            first = error
        }
        let health = Mutex(Health())
        tell(first, health)
        manager.ready(status: Self.status(first))
        let status = StatusReporter(
            identity, clock: clock, spawner: spawner,
            kiosk: { [clock] in KioskStatus(waiting: health.withLock { $0 }, at: clock.now()) }, parts: [],
            now: { [clock] in (clock.now(), clock.utc()) })
        // Leaving this function cancels the serving task and waits for its end: the socket must be free again before
        // the service binds it.
        async let _: Void = serve(status)
        return try await retry(first, health) { () async throws(StoreError) in try await patience.during(.up, work) }
    }

    private func retry<Value: Sendable>(
        _ first: StoreError, _ health: borrowing Mutex<Health>, _ work: @Sendable () async throws(StoreError) -> Value
    ) async throws(CancellationError) -> Value? {
        var told = first
        while true {
            for number in 0..<Self.pause {
                let isEnding = isAskedToEnd()
                manager.alive()
                // The pattern of a fault: red and amber in turn.
                show(Signal(number.isMultiple(of: 2) ? [.red] : [.amber]))
                try await clock.sleep(for: .seconds(1))
                // End one second after the request, so that the client has received the answer.
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
        health.withLock { $0.take(present, at: clock.now()) }
    }

    private static func status(_ error: StoreError) -> String { "waiting for the ledger: \(error.text)" }
}
