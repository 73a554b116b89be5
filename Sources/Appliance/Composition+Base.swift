import Clocks
import Courier
import Credentials
import Encoding
import GateService
import Kiosk
import LinuxIO
import Monitoring
import Settings
import Store
import Synchronization
import TrustFiles

extension Composition {
    /// What the start has before the ledger is open: log, outputs, service manager, trust data and rules.
    struct Base {
        let configuration: Configuration
        let version: String
        private let environment: [String: String]
        let clock: Clock
        let spawner: Spawner
        /// Keeps health reports until the gatekeeper exists.
        let inbox: HealthInbox
        let report: HealthReporter
        let log: LogSink
        let panel: ReconnectingPanel?
        let displays: DisplayOutput
        let manager: ServiceManager
        let judgement: VerificationBasis
        /// The folder for sockets and marks of this run.
        let runtime: String
        private let boot: Text
        let crashes: CrashLog

        init(
            _ configuration: Configuration, version: String, _ environment: [String: String], clock: Clock,
            spawner: Spawner
        ) throws {
            (self.configuration, self.version, self.environment) = (configuration, version, environment)
            (self.clock, self.spawner) = (clock, spawner)
            inbox = HealthInbox(spawner: spawner)
            report = { [inbox] in inbox.take($0) }
            log = try openLog(configuration, environment, report)
            // The lines first: after a crash some kernels keep driving a relay until its line is requested again.
            panel = ReconnectingPanel(configuration, clock: clock, report: report)
            panel?.takeLines()
            // Before any slow step: a picture left on a display by an earlier run has no valid invitation.
            displays = try DisplayOutput(configuration, clock: clock, report: report)
            manager = ServiceManager(environment: environment)
            judgement = try VerificationBasis(configuration, log, report)
            judgement.trust.directory.store.warmUp()
            let given = environment["RUNTIME_DIRECTORY"].flatMap(firstFolder).map(configuration.standard.place)
            runtime = given ?? configuration.standard.place(StandardFolders.runtime)
            boot = try Boot.id(folder: given)
            crashes = CrashLog(folder: given, boot: boot)
        }

        /// Opens the ledger, and waits until it can be opened. Returns nil if a restart is requested before that.
        func openRecords(made: Timestamp) async throws -> Records? {
            let (configuration, log, panel, clock, spawner) = (configuration, log, panel, clock, spawner)
            let opening = Records.Opening(
                configuration: configuration, environment: environment, boot: boot, version: version, made: made,
                window: judgement.policy.replay.window, clock: clock, log: log, report: report)
            let askedToEnd = Mutex(false)
            let waiting = Waiting(
                report: LogOutput.reporter(log, clock: clock), manager: manager, show: { panel?.show($0) },
                identity: identity(start: 0), clock: clock, spawner: spawner,
                serve: { await show($0, configuration, log, clock, spawner) { askedToEnd.withLock { $0 = true } } },
                isAskedToEnd: { askedToEnd.withLock { $0 } })
            if let records = try await waiting.forLedger({ () async throws(StoreError) in try await Records(opening) })
            {
                return records
            }
            manager.stopping()
            _ = panel?.end(within: .milliseconds(200))
            RenewalService.tell(restartAsked, restartRemedy, log)
            _ = log.flush(within: .milliseconds(200))
            return nil
        }

        /// Logs the start, and what the operator should know about the configuration.
        func logStart(_ records: Records) {
            let trusted = judgement.trust.directory.store
            log.log(
                .info, "started",
                [
                    "version": .text(version), "kiosk": .text(configuration.kiosk.id), "trust": .text(trusted.version),
                    "start": .int(records.starts), "interrupted": .int(records.interrupted),
                    "restored": .int(records.restored),
                ])
            StoppedDaemon.tell(log, in: runtime)
            for notice in configuration.notices {
                log.log(
                    .warning, "configuration",
                    ["key": .text(notice.key), "text": .text(notice.message), "remedy": .text(notice.remedy)])
            }
            PolicyService.log(judgement.rules, by: trusted, log)
        }

        /// Returns the identity of the gate in status reports. `start`: the number of this start.
        func identity(start: Int) -> StatusReporter.Identity {
            StatusReporter.Identity(
                name: configuration.kiosk.name, version: version, start: start, since: clock.now(),
                configuration: configuration.digest, opens: configuration.opens)
        }
    }
}
