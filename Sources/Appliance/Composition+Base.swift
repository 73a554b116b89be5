import Clocks
import Courier
import Credentials
import Encoding
import Features
import GateService
import Kiosk
import LinuxIO
import Monitoring
import Settings
import TrustFiles

extension Composition {
    /// The parts that exist before the ledger is open: log, outputs, service manager, trust data and rules.
    struct Base {
        let configuration: Configuration
        let version: String
        let environment: [String: String]
        let clock: Clock
        let spawner: Spawner
        /// Stores reports of faults until the gatekeeper exists, which then receives them.
        let inbox: HealthInbox
        let report: HealthReporter
        let log: LogSink
        /// The features. Some of them need the ledger, which is opened later (``Feature/open(wallTime:)``).
        let features: [any Feature]
        let panel: ReconnectingPanel?
        let manager: ServiceManager
        let judgement: VerificationBasis
        /// The folder for the sockets and mark files of this run.
        let runtime: String
        let boot: Text
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
            let start = FeatureStart(configuration, clock: clock, report: report)
            // Lines first: after a crash, some kernels leave a relay energised until its line is requested again.
            panel = ReconnectingPanel(
                configuration, controller: FeatureList.controller(start), clock: clock, report: report)
            panel?.takeLines()
            // Before any slow step: a display may still show the invitation of an earlier run, which is not valid.
            features = try FeatureList.all.map { try $0.init(start) }
            manager = ServiceManager(environment: environment)
            judgement = try VerificationBasis(configuration, log, report)
            judgement.trust.directory.store.warmUp()
            let given = environment["RUNTIME_DIRECTORY"].flatMap(firstFolder).map(configuration.standard.place)
            runtime = given ?? configuration.standard.place(StandardFolders.runtime)
            boot = try Boot.id(folder: given)
            crashes = CrashLog(folder: given, boot: boot, now: clock.now)
        }

        /// Returns the identity of the gate in status reports. `start`: the number of this start.
        func identity(start: Int) -> StatusReporter.Identity {
            StatusReporter.Identity(
                name: configuration.kiosk.name, version: version, start: start, since: clock.now(),
                configuration: configuration.digest, opens: configuration.opens)
        }
    }

    /// Returns the first of systemd's folders, which colons separate; nil for an empty list.
    static func firstFolder(_ list: String) -> String? { list.split(separator: ":").first.map(String.init) }
}
