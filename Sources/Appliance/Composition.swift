import Administration
package import Clocks
package import Courier
import Credentials
package import Encoding
package import GateService
import Kiosk
package import LinuxIO
import Monitoring
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
    package let panel: LatePanel?
    /// The log, displays and service manager.
    package let listeners: Listeners
    /// The liveness probes for the radio's thread, the verifier and the ledger writer.
    package let lifeSigns: LifeSigns
    /// Returns the date and how far it can be trusted.
    package let wallTime: @Sendable () -> WallTime
    /// The part that answers requests of other commands.
    package let control: ControlService
    /// Publishes the state of the gate in files and pages.
    let observation: ObservationService
    /// Reports counters whose growth means a fault.
    package let counters: CounterService
    /// Compares the ledger with its witness.
    let witness: WitnessService
    /// The printed code; nil if the gate has no printed code.
    let sticker: Sticker?
    /// Ends the program when a new ledger must begin.
    let renewal: RenewalService
    /// Ends the program in a quiet moment after a request for a restart.
    let restart: RenewalService
    /// Applies the schedule at intervals, and has orders kept.
    let door: DoorService
    /// The inputs at the door; nil if the configuration has no inputs.
    let doorLines: DoorLines?
    /// The crashes of the program.
    let crashes: CrashBook
    /// The function that collects health reports.
    let report: HealthReporter
    /// The clock of all parts.
    let time: Clock
    /// Starts the tasks of all parts.
    let spawner: Spawner

    /// Wraps a service that the end of the program must not wait for.
    func aside<Wrapped: Service>(_ service: Wrapped) -> AsideService<Wrapped> {
        AsideService(service, clock: time, spawner: spawner)
    }

    /// Builds all parts without using the radio. `made`: the day on which this version was built. All parts use
    /// `clock` and `spawner`. `observe` gets every turn of the kiosk. Waits until the ledger can be opened; returns nil if a restart is
    /// requested during that wait. Throws errors that waiting cannot resolve.
    package static func make(
        _ configuration: Configuration, version: String, made: Timestamp, environment: [String: String],
        clock: Clock, spawner: Spawner, observe: Gatekeeper.TurnObserver? = nil
    ) async throws -> Composition? {
        let inbox = HealthInbox(spawner: spawner)
        let report: HealthReporter = { inbox.take($0) }
        let log = try openLog(configuration, environment, report)
        // The lines first: after a crash some kernels keep driving a relay until its line is requested again.
        let panel = LatePanel(configuration, clock: clock, report: report)
        panel?.takeLines()
        // Before any slow step: a picture left on a display by an earlier run has no valid invitation.
        let displays = try DisplayOutput(configuration, clock: clock, report: report)
        let manager = ServiceManager(environment: environment)
        let judgement = try Judgement(configuration, log, report)
        let (trust, policy) = (judgement.trust, judgement.policy)
        let policyOver: @Sendable (GatePolicy?) -> VerificationPolicy = {
            ConfiguredPolicy.rules(of: configuration, under: $0)
        }
        let trusted = trust.directory.store
        trusted.warmUp()
        let given = environment["RUNTIME_DIRECTORY"].flatMap(firstFolder).map(configuration.standard.place)
        let runtime = given ?? configuration.standard.place(StandardFolders.runtime)
        let boot = try Boot.id(folder: given)
        let crashes = CrashBook(folder: given, boot: boot)
        tell(crashes.known, log, clock, report)
        var isMade = false
        // A start that fails or is ended before the service exists is no crash.
        defer { if !isMade { crashes.end() } }
        let opening = Records.Opening(
            configuration: configuration, environment: environment, boot: boot,
            version: version, made: made, window: policy.replay.window, clock: clock, log: log, report: report)
        let askedToEnd = Mutex(false)
        let waiting = Waiting(
            report: LogOutput.reporter(log, clock: clock), manager: manager, show: { panel?.show($0) },
            identity: StatusDesk.Identity(
                name: configuration.kiosk.name, version: version, start: 0, since: clock.now(),
                configuration: configuration.digest, opens: configuration.opens),
            clock: clock, spawner: spawner,
            serve: { await show($0, configuration, log, clock, spawner) { askedToEnd.withLock { $0 = true } } },
            isAskedToEnd: { askedToEnd.withLock { $0 } })
        guard
            let records = try await waiting.forLedger({ () async throws(StoreError) in try await Records(opening) })
        else {
            manager.stopping()
            _ = panel?.end(within: .milliseconds(200))
            RenewalService.tell(Self.restartAsked, Self.restartRemedy, log)
            _ = log.flush(within: .milliseconds(200))
            return nil
        }
        let (store, wallTime) = (records.store, records.wallTime)
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

        let agents = AgentService(
            configuration: configuration, store: store, log: log, contacts: crashes, report: report)
        let keeper = LedgerKeeper(
            store: store, reserve: records.reserve, siteKey: records.siteKey, clock: clock,
            spawner: spawner, stamp: records.stamp, report: report,
            onChange: { _ in agents.wake() })
        let verifiers = VerifierInForce(
            judgement.verifier, siteKey: records.siteKey, memory: records.memory)
        let signal = ObservationSignal()
        let voice = try VoiceOutput(configuration.voice, clock: clock, report: report)
        let listeners = try Listeners(
            [LogOutput(log), displays, ReadinessOutput(manager), signal] + [voice].compactMap(\.self), clock: clock)
        let sticker = Sticker(configuration.sticker, clock: clock, wallTime: wallTime, report: report)
        let radio = configuration.radio
        let missing = MissingAdapter(radio.device)
        let minimum: @Sendable () -> WallTime.Provenance = { verifiers.current.policy.minimumClock }
        let gatekeeper = try Gatekeeper(
            settings: KioskSettings(configuration, softwareVersion: version),
            surroundings: Gatekeeper.Surroundings(
                clock: clock, spawner: spawner,
                openTransport: { () throws(TransportError) in try openTransport(radio, missing, runtime) },
                resetAdapter: { AdapterResetRequest.ask(log, in: runtime, spawner: spawner) }, ledger: keeper,
                sticker: sticker,
                verify: { visit, payload, date in
                    verifiers.verify(payload, of: visit, at: date, monotonic: clock.now())
                }, settle: { verifiers.settle($0, $1, at: clock.now()) }, wallTime: wallTime,
                schedule: configuration.door.schedule, minimumClock: minimum, panel: panel ?? NoPanel(),
                listeners: listeners, observe: observe))
        let refreshing = TrustService.make(
            configuration.trust, beginning: trust,
            refresher: TrustRefresher(
                configuration.trust, state: TrustState(configuration.trust), contacts: crashes), verifiers: verifiers,
            policy: RulesInForce.comeWithTrust(configuration.policy.file) ? policyOver : nil, clock: clock,
            wallTime: wallTime, log: log, report: report)
        let watching = PolicyService(
            configuration.policy.file.map { PolicyState(path: $0, folder: configuration.trust.state) },
            over: ConfiguredPolicy.defaults(configuration),
            direction: ConfiguredPolicy.direction(configuration), verifiers: verifiers, log: log,
            report: report, clock: clock)
        inbox.connect { [weak gatekeeper] in await gatekeeper?.take($0) }
        let orders = try DoorOrders(
            DoorOrderFile(database: configuration.ledger.path), clock: clock, wallTime: wallTime, report: report)
        let doorInbox = DoorInbox(spawner: spawner)
        // Before the first visit: apply the operator's order from before this start.
        doorInbox.take([.order(orders.restored(at: clock.now(), minimum: minimum()))])
        let doorLines = try DoorLines(configuration) { doorInbox.take($0) }
        doorInbox.connect { [weak gatekeeper] in await gatekeeper?.take($0) }
        let expiry = ExpiryService(
            .init(
                verifiers: verifiers, others: { Expiries.gate(configuration, rules: $0) },
                fetchedFrom: configuration.trust.fetchedFrom, wallTime: wallTime, report: report, log: log,
                tell: { code, text, heard in
                    let told = await agents.tell(code, text, sparing: heard)
                    return .init(heard: told.heard, isComplete: told.isComplete)
                }), clock: clock)
        let date = try PatientDate(by: clock, spawner, wallTime)
        let status = StatusDesk(
            StatusDesk.Identity(
                name: configuration.kiosk.name, version: version, start: records.starts, since: clock.now(),
                configuration: configuration.digest, opens: configuration.opens),
            clock: clock, spawner: spawner, kiosk: { await gatekeeper.status() },
            parts: StatusParts(
                store: store, verifiers: verifiers, date: date, agents: { await agents.status() }, sticker: sticker,
                expiry: expiry, configuration: configuration, log: log
            ).all,
            now: { (clock.now(), await date.now().utc) })
        var desk = ControlDesk()
        desk.take(.status) { _ in await status.report() }
        AgentDesk(store: store, service: agents).register(in: &desk)
        DoorDesk(
            orders, settings: configuration.door.settings, tell: { await gatekeeper.take($0) },
            status: { await gatekeeper.status() }, clock: clock, spawner: spawner, wallTime: wallTime, log: log
        ).register(in: &desk)
        let (restarts, restart) = AsyncStream.makeStream(of: Text.self, bufferingPolicy: .bufferingNewest(1))
        desk.take(.restart) { _ in
            restart.yield(Self.restartAsked)
            return ["restarts": true]
        }
        let isQuiet: @Sendable () async -> Bool = {
            let status = await gatekeeper.status()
            return status.phones == 0 && !status.isGateOpen
        }
        isMade = true
        return Composition(
            configuration: configuration, log: log, store: store, keeper: keeper, gatekeeper: gatekeeper,
            agents: agents, trust: refreshing, policy: watching, clock: records.clock,
            dating: DatingService(verifiers, clock: clock, wallTime: wallTime, report: report), expiry: expiry,
            manager: manager,
            panel: panel, listeners: listeners,
            lifeSigns: LifeSigns(
                [
                    .init("the radio's thread", by: clock, spawner) { await gatekeeper.breathe() > 0 },
                    .init("the verification", by: clock, spawner) {
                        // Verify an empty payload. The verifier must reject it.
                        await gatekeeper.verifications.answer {
                            !verifiers.current.verify([], at: wallTime()).isAccepted
                        }
                    },
                    .init("the keeper of the records", by: clock, spawner) {
                        await keeper.breathe()
                        return true
                    },
                ], stuck: stuck(report, log, clock, manager)), wallTime: wallTime,
            control: ControlService(configuration.control, desk: desk, log: log, report: report, clock: clock),
            observation: ObservationService(
                configuration.observe, access: configuration.control.access, status: status, store: store,
                signal: signal, clock: clock, spawner: spawner, date: { date.known.utc }, report: report),
            counters: CounterService(
                CounterWatch([.init(.logDropped) { log.dropped + listeners.dropped }], report: report), clock: clock),
            witness: WitnessService(store: store, report: report, log: log, clock: clock), sticker: sticker,
            renewal: RenewalService(
                contradictions: agents.contradictions, hasBegunOne: store.hasBegunAnew, isQuiet: isQuiet, clock: clock,
                log: log),
            restart: RenewalService(
                contradictions: restarts, hasBegunOne: false, isQuiet: isQuiet, clock: clock, log: log,
                remedy: Self.restartRemedy),
            door: DoorService(orders, clock: clock, spawner: spawner) { instant in
                // Read the date only if the configuration has a schedule.
                guard !configuration.door.schedule.entries.isEmpty else { return }
                await gatekeeper.hear(await date.now(), at: instant)
            },
            doorLines: doorLines, crashes: crashes, report: report, time: clock, spawner: spawner)
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
                .crashes, count: history.count, detail: "\(servers) is not asked any more; since \(since)"))
    }

    private static let restartAsked: Text = "a restart was asked for"
    private static let restartRemedy: Text = "none: the program ends, and starts again as its configuration says now"

    /// Runs the status report and the pages while no ledger is open. `restart` is called at a request for a
    /// restart: the configuration may now name another ledger.
    private static func show(
        _ status: StatusDesk, _ configuration: Configuration, _ log: LogSink, _ clock: Clock, _ spawner: Spawner,
        restart: @escaping @Sendable () -> Void
    ) async {
        let report = LogOutput.reporter(log, clock: clock)
        var desk = ControlDesk()
        desk.take(.status) { _ in await status.report() }
        desk.take(.restart) { _ in
            restart()
            return ["restarts": true]
        }
        let control = ControlService(configuration.control, desk: desk, log: log, report: report, clock: clock)
        let observation = ObservationService(
            configuration.observe, access: configuration.control.access, status: status, store: nil,
            signal: ObservationSignal(), clock: clock, spawner: spawner, date: { clock.utc() }, report: report)
        async let asked: Void = control.run()
        await observation.run()
        await asked
    }

    /// Opens the log. If a log file cannot be opened, the log is written to standard error or the journal.
    private static func openLog(
        _ configuration: Configuration, _ environment: [String: String], _ report: @escaping HealthReporter
    ) throws -> LogSink {
        let minimum = LogSink.Level(rawValue: configuration.log.level.rawValue) ?? .info
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
            let detail = "\(part) has not answered for \(LifeSigns.limit)"
            report(.present(.stuck, detail: detail))
            LogOutput.reporter(log, clock: clock)(.present(.stuck, detail: detail))
            manager.status("\(ReasonCode.stuck): \(detail)")
        }
    }

    /// Returns the first folder of a list from systemd. Colons separate the folders of the list.
    private static func firstFolder(_ list: String) -> String? { list.split(separator: ":").first.map(String.init) }

    /// Opens the transport to the controller that the configuration names.
    private static func openTransport(
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
