import Administration
package import Clocks
package import Courier
import Credentials
package import Encoding
import Features
package import GateService
import Kiosk
package import LinuxIO
import Monitoring
import Reasons
import ServiceLifecycle
package import Settings
package import Store
import Synchronization
import TrustFiles

/// The composition root: makes every part of the running appliance from the configuration, and connects the
/// parts.
///
/// An invalid configuration file was refused before. Other faults at a start (trust data, rules, ledger, GPIO
/// chip, log, display) do not end the program. They are reported, and no fault makes the gate admit a
/// visitor. The faulty part is used as soon as it is available.
package struct Composition: Sendable {
    /// The operator's configuration.
    package let configuration: Configuration
    /// The log.
    package let log: LogSink
    /// The database.
    package let store: Store
    /// The part that writes the records.
    package let keeper: LedgerKeeper
    /// The part that runs the gate.
    package let gatekeeper: Gatekeeper
    /// Delivers the reports to the agents.
    package let agents: AgentService
    /// Keeps the trust data fresh.
    package let trust: TrustService
    /// Applies changes of the policy file.
    package let policy: PolicyService
    /// The watch over the clock.
    package let clock: ClockService
    /// Reports a date at which no visitor can be let in.
    package let dating: DatingService
    /// Warns before a certificate, list or other item expires.
    let expiry: ExpiryService
    /// The connection to systemd.
    package let manager: ServiceManager
    /// The lamps and the relay; nil without GPIO.
    package let panel: ReconnectingPanel?
    /// The log, displays and service manager.
    package let listeners: Listeners
    /// The liveness probes for the radio's thread, the verifier and the ledger writer.
    let lifeSigns: LivenessProbes
    /// Returns the date and how far it can be trusted.
    package let wallTime: @Sendable () -> WallTime
    /// The part that answers requests of other commands.
    package let control: ControlService
    /// What shows the state of the gate.
    let observed: ObservedGate
    /// Reports counters whose growth means a fault.
    package let counters: CounterService
    /// Compares the ledger with its witness.
    let witness: WitnessService
    /// The optional parts of the gate.
    let features: [any Feature]
    /// Ends the program when a new ledger must begin.
    let renewal: RenewalService
    /// Ends the program in a quiet moment after a request for a restart.
    let restart: RenewalService
    /// Applies the schedule at intervals, and has orders kept.
    let door: DoorService
    /// The inputs at the door; nil if the configuration has no inputs.
    let doorLines: DoorLines?
    /// The crashes of the program.
    let crashes: CrashLog
    /// The function that collects health reports.
    let report: HealthReporter
    /// The clock of all parts.
    let time: Clock
    /// Starts the tasks of all parts.
    let spawner: Spawner

    /// Wraps a service that the end of the program must not wait for.
    func aside(_ service: any Service) -> DetachedService {
        DetachedService(service, clock: time, spawner: spawner)
    }

    /// Builds all parts without using the radio. `made`: the day on which this version was built. All parts use
    /// `clock` and `spawner`. `observe` gets every turn of the kiosk. Waits until the ledger can be opened;
    /// returns nil if a restart is requested during that wait. Throws errors that waiting cannot resolve.
    package static func make(
        _ configuration: Configuration, version: String, made: Timestamp, environment: [String: String],
        clock: Clock, spawner: Spawner, observe: Gatekeeper.TurnObserver? = nil
    ) async throws -> Composition? {
        let base = try Base(configuration, version: version, environment, clock: clock, spawner: spawner)
        tell(base.crashes.known, base.log, clock, base.report)
        var isMade = false
        // A start that fails or is ended before the service exists is no crash.
        defer { if !isMade { base.crashes.end() } }
        guard let records = try await base.openRecords(made: made) else { return nil }
        base.logStart(records)
        let gate = try Gate(base, records, observe: observe)
        let door = try Door(base, records, gate)
        let router = try Desk(base, records, gate, door)
        isMade = true
        return Composition(base, records, gate, door, router)
    }

    private init(_ base: Base, _ records: Records, _ gate: Gate, _ door: Door, _ router: Desk) {
        let (log, report, manager) = (base.log, base.report, base.manager)
        let (store, wallTime) = (records.store, records.wallTime)
        let (gatekeeper, verifiers, listeners) = (gate.gatekeeper, gate.verifiers, gate.listeners)
        let (configuration, time, spawner) = (base.configuration, base.clock, base.spawner)
        (self.time, self.spawner) = (time, spawner)
        (self.configuration, self.log, self.store, self.keeper) = (configuration, log, store, gate.keeper)
        (self.gatekeeper, agents, self.manager, panel) = (gatekeeper, gate.agents, manager, base.panel)
        (self.listeners, self.wallTime, features, expiry) = (listeners, wallTime, gate.features, router.expiry)
        (trust, policy, clock) = (gate.trust(base, records), gate.policy(base), records.clock)
        (doorLines, crashes, self.report) = (door.lines, base.crashes, report)
        dating = DatingService(verifiers, clock: time, wallTime: wallTime, report: report)
        lifeSigns = gate.lifeSigns(
            by: time, spawner, wallTime: wallTime, stuck: Self.stuck(report, log, time, manager))
        control = ControlService(configuration.control, router: router.router, log: log, report: report, clock: time)
        observed = ObservedGate(
            configuration, status: router.status, store: store, clock: time, spawner: spawner,
            date: { [date = router.date] in date.known.utc }, report: report)
        counters = CounterService(
            CounterWatch([.init(.logDropped) { log.dropped + listeners.dropped }], report: report), clock: time)
        witness = WitnessService(store: store, report: report, log: log, clock: time)
        let isQuiet: @Sendable () async -> Bool = {
            let status = await gatekeeper.status()
            return status.phones == 0 && !status.isGateOpen
        }
        renewal = RenewalService(
            contradictions: gate.agents.contradictions, hasBegunOne: store.hasBegunNewLedger, isQuiet: isQuiet,
            clock: time,
            log: log)
        restart = RenewalService(
            contradictions: router.restarts, hasBegunOne: false, isQuiet: isQuiet, clock: time, log: log,
            remedy: Self.restartRemedy)
        self.door = DoorService(door.orders, clock: time, spawner: spawner) { [date = router.date] instant in
            // Read the date only if the configuration has a schedule.
            guard !configuration.door.schedule.entries.isEmpty else { return }
            await gatekeeper.hear(await date.now(), at: instant)
        }
    }

    /// Logs the crashes so far, before anything else is logged.
    private static func tell(_ history: CrashHistory, _ log: LogSink, _ clock: Clock, _ report: HealthReporter) {
        guard let first = history.crashes.first?.at else { return }
        let since = clock.utc().advanced(by: .zero - first.duration(to: clock.now())).rfc3339
        let servers = history.leftOut.map(\.string).joined(separator: ", ")
        log.log(
            .error, "crashed",
            ["count": .int(history.count), "since": .text(since), "leftOut": .text(servers)])
        guard !history.leftOut.isEmpty else { return }
        report(
            .present(
                .crashes, count: history.count, detail: "\(servers) is not contacted; since \(since)"))
    }

    static let restartAsked: Text = "a restart was requested"
    static let restartRemedy: Text = "none: the program restarts with its new configuration"

    /// Runs the status report and the pages while no ledger is open. `restart` is called at a request for a
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

    /// Opens the log. If a log file cannot be opened, the log is written to standard error or the journal.
    static func openLog(
        _ configuration: Configuration, _ environment: [String: String], _ report: @escaping HealthReporter
    ) throws -> LogSink {
        let minimum = configuration.log.level
        let isJournal = LogSink.Journal.isStandardError(environment["JOURNAL_STREAM"])
        let standard: LogSink.Output = isJournal ? .journal : .standardError
        var journal = LogSink.Journal()
        journal.id = { MessageID.of($0) }
        guard let path = configuration.log.path else {
            return try LogSink(standard, minimum: minimum, journal: journal)
        }
        return try LogSink(
            .file(path), minimum: minimum, fallback: standard, journal: journal,
            report: { error in report(error.map { .present(.logDropped, detail: "\($0)") } ?? .over(.logDropped)) })
    }

    /// Returns the handler for a part of the program that does not answer. The handler reports the fault
    /// directly, because the silent part may be the thread that other reports depend on.
    private static func stuck(
        _ report: @escaping HealthReporter, _ log: LogSink, _ clock: Clock, _ manager: ServiceManager
    ) -> @Sendable (String?) -> Void {
        { part in
            guard let part else { return report(.over(.stuck)) }
            let detail = "\(part) has not responded for \(LivenessProbes.limit)"
            report(.present(.stuck, detail: detail))
            LogOutput.reporter(log, clock: clock)(.present(.stuck, detail: detail))
            manager.status("\(ReasonCode.stuck): \(detail)")
        }
    }

    /// Returns the first folder of a list from systemd. Colons separate the folders of the list.
    static func firstFolder(_ list: String) -> String? { list.split(separator: ":").first.map(String.init) }

    /// Opens the transport to the controller that the configuration names.
    static func openTransport(
        _ radio: RadioSection, _ missing: MissingAdapter, _ runtime: String
    ) throws(TransportError) -> any HCITransport {
        switch radio.transport {
        case .userChannel:
            try missing.open { () throws(TransportError) in
                try HCIUserChannel.open(radio.device, opener: RadioOpener.path(beside: runtime))
            }
        case .tcp: try TCPTransport.connect(host: radio.host, port: radio.port)
        case .serial:
            try missing.open { () throws(TransportError) in
                try SerialTransport.open(radio.device, baud: radio.baud, flowControl: radio.flowControl)
            }
        }
    }
}
