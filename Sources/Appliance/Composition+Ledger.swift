import Administration
import Clocks
import Credentials
import Encoding
import Features
import GateService
import LinuxIO
import Monitoring
import ServiceLifecycle
import Settings
import Store
import Synchronization

extension Composition.Base {
    /// Opens the ledger. If that fails, waits and tries again. Returns nil if a restart is requested meanwhile.
    func openRecords(made: Timestamp) async throws -> Records? {
        let (configuration, log, panel, clock, spawner) = (configuration, log, panel, clock, spawner)
        let opening = Records.Opening(
            configuration: configuration, environment: environment, boot: boot, version: version, made: made,
            window: judgement.policy.replay.window, clock: clock, log: log, report: report)
        let askedToEnd = Mutex(false)
        let waiting = Waiting(
            report: LogOutput.reporter(log, clock: clock), manager: manager, show: { panel?.show($0) },
            identity: identity(start: 0), clock: clock, spawner: spawner,
            serve: {
                await Composition.show($0, configuration, log, clock, spawner) { askedToEnd.withLock { $0 = true } }
            },
            isAskedToEnd: { askedToEnd.withLock { $0 } })
        if let records = try await waiting.forLedger({ () async throws(StoreError) in try await Records(opening) }) {
            return records
        }
        manager.stopping()
        _ = panel?.end(within: .milliseconds(200))
        RenewalService.tell(Composition.restartAsked, Composition.restartRemedy, log)
        _ = log.flush(within: .milliseconds(200))
        return nil
    }
}

extension Composition {
    static let restartAsked: Text = "a restart was requested"
    static let restartRemedy: Text = "none: the program restarts with its new configuration"

    /// Serves the status report and the pages while the ledger is not open. Calls `restart` if a client requests a
    /// restart: the configuration may now name another ledger.
    static func show(
        _ status: StatusReporter, _ configuration: Configuration, _ log: LogSink, _ clock: Clock, _ spawner: Spawner,
        restart: @escaping @Sendable () -> Void
    ) async {
        let report = LogOutput.reporter(log, clock: clock)
        var router = ControlRouter()
        status.register(in: &router)
        router.take(.restart) { _ in
            restart()
            return ["restarts": true]
        }
        let control = ControlService(configuration.control, router: router, log: log, report: report, clock: clock)
        let gate = ObservedGate(
            configuration, status: status, store: nil, clock: clock, spawner: spawner, date: { clock.utc() },
            report: report)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await control.run() }
            for service in FeatureList.all.flatMap({ $0.waitingServices(of: gate) }) {
                group.addTask { try? await service.run() }
            }
        }
    }
}
