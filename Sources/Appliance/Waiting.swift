import Clocks
import Encoding
import Kiosk
import LinuxIO
import Monitoring
import Reasons
import Store
import Synchronization

/// The wait for the ledger at the start, because the gate cannot work without it. The status report states the wait.
/// If the program ended instead, systemd would restart it every second.
///
/// During the wait the radio is off and the gate is shut, and status requests are answered with the reason. SIGTERM
/// ends the program in the default way, because nothing is in progress.
struct Waiting: Sendable {
    /// The number of seconds between two attempts.
    static let pause = 5

    /// Receives the fault that prevents the opening, whenever it changes.
    let report: HealthReporter
    /// The connection to systemd, which receives the notifications that the program is up, and the watchdog
    /// notifications during the wait.
    let manager: ServiceManager
    /// Switches the lamps to the given signal.
    let show: @Sendable (Signal) -> Void
    /// The identity of the gate in status reports.
    let identity: StatusReporter.Identity
    /// Measures the time between two attempts.
    let clock: Clock
    /// Starts the tasks that answer queries for status reports.
    let spawner: Spawner
    /// Answers requests and publishes the state with the given reporter, until its task is cancelled.
    let serve: @Sendable (StatusReporter) async -> Void
    /// Returns whether a restart was requested.
    var isAskedToEnd: @Sendable () -> Bool = { false }
    /// Extends systemd's time limit during an attempt, which may take minutes if an old ledger must be migrated; nil:
    /// the value is made from ``manager``.
    var patience: SystemdTimeoutExtension?

    /// Repeats `work` until it succeeds and returns its result. Returns nil if a restart is requested meanwhile.
    /// Throws only if its task is cancelled.
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
        // The return from this function cancels the task that serves requests, and waits for its end. The service can
        // then bind the same socket.
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
                // Show the lamp pattern of a fault: red and amber alternately.
                show(Signal(number.isMultiple(of: 2) ? [.red] : [.amber]))
                try await clock.sleep(for: .seconds(1))
                // End one second after the request, so that the client has received its answer.
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
