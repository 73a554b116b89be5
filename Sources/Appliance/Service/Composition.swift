import Aries
package import Credentials
package import Encoding
import Foundation
import HTTPTransport
import Kiosk
import Ledger
package import LinuxIO
package import Store
import Synchronization

/// The composition root: every part of the running appliance, made from the configuration and handed to those who need it.
/// Nothing here decides anything.
package struct Composition: Sendable {
    /// What the operator wrote.
    package let configuration: Configuration
    /// The log.
    package let log: LogSink
    /// The database.
    package let store: Store
    /// Writes the records.
    package let keeper: LedgerKeeper
    /// Runs the gate.
    package let gatekeeper: Gatekeeper
    /// Delivers the reports.
    package let agents: AgentService
    /// Keeps the trust data fresh.
    package let trust: TrustService
    /// Takes over a policy file that was changed.
    package let policy: PolicyService
    /// Keeps who was let in over a restart.
    package let replays: ReplayKeeper
    /// Watches the clock.
    package let clock: ClockService
    /// systemd.
    package let manager: ServiceManager
    /// Lamps and relay; nil without GPIO.
    package let panel: LinePanel?
    /// Log, terminal, display and service manager.
    package let listeners: Listeners
    /// Judges a payload that is none: the sign that verifications turn.
    package let canary: @Sendable () -> Verdict
    /// The date that is believed, and why.
    package let wallTime: @Sendable () -> WallTime
    /// Answers questions of other commands.
    package let control: ControlService
    /// Looks at counters that mean a fault.
    package let counters: CounterService

    /// Builds everything; the radio is not touched yet. `observe` sees every turn of the kiosk. Throws what keeps the
    /// appliance from starting.
    package static func make(
        _ configuration: Configuration, version: String, environment: [String: String],
        observe: Gatekeeper.TurnObserver? = nil
    ) async throws -> Composition {
        let log = try openLog(configuration, environment)
        let inbox = HealthInbox()
        let report: HealthReporter = { inbox.take($0) }
        let panel = try PanelSetup(configuration: configuration).open(report)
        let trust = try TrustState(configuration.trust).load()
        let defaults = defaults(configuration)
        let direction = GateDirection(rawValue: configuration.gate.direction.rawValue)
        // The rules of a file of their own win over those that came with the trust data.
        let policyOver: @Sendable (GatePolicy?) -> VerificationPolicy = { rules in
            rules.map { VerificationPolicy($0, over: defaults, direction: direction) } ?? defaults
        }
        let policyFile = configuration.policy.file
        let policy = policyOver(try policyFile.map(PolicyFile.load) ?? trust.rules)
        trust.store.warmUp()
        let store = try await openStore(configuration)
        let watch = ClockWatch(newest: await store.savedClock, skew: configuration.clock.skew)
        let wallTime: @Sendable () -> WallTime = { watch.now() }
        let clock = ClockService(
            watch: watch, store: store, acceptance: ClockAcceptance(database: configuration.ledger.path), log: log,
            report: report)
        await clock.turn(at: SystemClock.now())
        let siteKey = try await store.siteKey()
        let replays = ReplayKeeper(store: store, date: { wallTime().utc })
        var memory = ReplayMemory(window: policy.replay.window)
        memory.recall((try? await store.replays()) ?? [], at: wallTime(), now: SystemClock.now())
        let verifiers = VerifierInForce(
            Verifier(trust: trust.store, policy: policy), siteKey: siteKey, memory: memory,
            remembered: { replays.remember($0) })
        let (kiosk, boot) = (Text(configuration.kiosk.id), Boot.id() ?? "unknown")
        let stamp: @Sendable () -> RecordStamp = {
            RecordStamp(kiosk: kiosk, boot: boot, time: wallTime(), monotonic: SystemClock.now())
        }
        let software = Outcome.Software(name: "gatehouse", version: Text(version))
        let reserve = openReserve(configuration, log)
        var restored = 0
        if let reserve { restored = await LedgerKeeper.restore(reserve, into: store) }
        let interrupted = try await store.recover(stamp: stamp(), software: software)
        let starts = try await store.countStart()
        log.log(
            .info, "started",
            [
                "version": .text(version), "kiosk": .string(kiosk), "trust": .text(trust.store.version),
                "start": .int(starts), "interrupted": .int(interrupted.count),
                "restored": .int(restored),
            ])

        if !configuration.trust.bundleKeys.isEmpty, trust.store.edition == nil {
            log.log(
                .warning, "trust.no-bundle",
                ["remedy": .text("gatehouse trust import: the directory serves until then")])
        }
        if trust.material.issuers.isEmpty {
            log.log(.warning, "trust.empty", ["remedy": .text("add an [[issuer]] to issuers.toml: nobody is trusted")])
        }

        if let rules = policy.rules {
            log.log(.info, "policy", ["version": .text(rules.name)])
            PolicyService.warn(about: rules, by: trust.store, log)
        }

        let agents = AgentService(configuration: configuration, store: store, log: log, report: report)
        let keeper = LedgerKeeper(
            store: store, reserve: reserve, siteKey: siteKey, stamp: stamp, report: report,
            onChange: { _ in agents.wake() })
        let manager = ServiceManager(environment: environment)
        var told: [any KioskListener] = [LogOutput(log), display(configuration, log), ReadinessOutput(manager)]
        if configuration.display.kind == .terminal {
            told.append(TerminalOutput { try? FileHandle.standardOutput.write(contentsOf: Data(($0 + "\n").utf8)) })
        }
        let listeners = try Listeners(told)
        let radio = configuration.radio
        let gatekeeper = try Gatekeeper(
            settings: KioskSettings(configuration, softwareVersion: version),
            surroundings: Gatekeeper.Surroundings(
                openTransport: { () throws(TransportError) in try openTransport(radio) }, ledger: keeper,
                verify: { visit, payload, date in
                    verifiers.verify(payload, of: visit, at: date, monotonic: SystemClock.now())
                }, settle: { visit, opened in verifiers.settle(visit, opened: opened) }, wallTime: wallTime,
                panel: panel ?? NoPanel(), listeners: listeners, observe: observe))
        let refreshing = TrustService.make(
            configuration.trust, verifiers: verifiers, policy: policyFile == nil ? policyOver : nil,
            wallTime: wallTime, log: log, report: report)
        let watching = PolicyService(
            path: configuration.policy.file, over: defaults, direction: direction, verifiers: verifiers, log: log,
            report: report)
        inbox.connect { [weak gatekeeper] in await gatekeeper?.take($0) }
        let status = StatusDesk(
            StatusDesk.Identity(
                name: configuration.kiosk.name, version: version, start: starts, since: SystemClock.now()),
            kiosk: { await gatekeeper.status() },
            parts: StatusParts(
                store: store, verifiers: verifiers, wallTime: wallTime, agents: agents, log: log
            ).all,
            now: { (SystemClock.now(), wallTime().utc) })
        var desk = ControlDesk()
        desk.take(.status) { _ in await status.report() }
        return Composition(
            configuration: configuration, log: log, store: store, keeper: keeper, gatekeeper: gatekeeper,
            agents: agents, trust: refreshing, policy: watching, replays: replays, clock: clock, manager: manager,
            panel: panel, listeners: listeners, canary: { verifiers.current.verify([], at: wallTime()) },
            wallTime: wallTime,
            control: ControlService(configuration.control, desk: desk, log: log),
            counters: CounterService(
                CounterWatch([.init(.logDropped) { log.dropped + listeners.dropped }], report: report)))
    }

    /// What holds where a policy file says nothing. Without a file everybody with a valid credential of a trusted issuer is let
    /// in, and one who comes again at once is only noted.
    static func defaults(_ configuration: Configuration) -> VerificationPolicy {
        var policy = VerificationPolicy(profile: Profile(rawValue: configuration.trust.profile.rawValue) ?? .strict)
        policy.clockSkew = configuration.clock.skew
        policy.minimumClock = WallTime.Provenance(rawValue: configuration.clock.minimum.rawValue) ?? .rtc
        policy.replay.action = .flag
        return policy
    }

    private static func openLog(_ configuration: Configuration, _ environment: [String: String]) throws -> LogSink {
        let output: LogSink.Output =
            configuration.log.path.map { .file($0) }
            ?? (environment["JOURNAL_STREAM"] == nil ? .standardError : .journal)
        do {
            return try LogSink(output, minimum: LogSink.Level(rawValue: configuration.log.level.rawValue) ?? .info)
        } catch {
            throw ServiceFailure("\(error)", remedy: error.remedy)
        }
    }

    private static func openStore(_ configuration: Configuration) async throws -> Store {
        var options = StoreOptions()
        options.retention.age = configuration.ledger.keep
        options.retention.bytes = configuration.ledger.keepMegabytes * 1_000_000
        options.outbox.reports = configuration.agent.queue
        options.outbox.bytes = configuration.agent.queue * 1024
        do {
            return try await Store.open(configuration.ledger.path, options: options)
        } catch {
            throw ServiceFailure(error.text, remedy: error.remedy)
        }
    }

    /// The reserve; without one the gate serves all the same.
    private static func openReserve(_ configuration: Configuration, _ log: LogSink) -> Reserve? {
        do {
            return try Reserve(path: configuration.ledger.reserve)
        } catch {
            log.log(.error, "no reserve", ["reason": .text(error.text), "remedy": .text(error.remedy)])
            return nil
        }
    }

    private static func display(_ configuration: Configuration, _ log: LogSink) -> InvitationOutput {
        let output: DisplayOutput =
            switch configuration.display.kind {
            case .terminal: .terminal(1)
            case .file: .file(configuration.display.file, scale: configuration.display.scale)
            case .none: .none
            }
        return InvitationOutput(output, caption: "Scan with your wallet: \(configuration.kiosk.name)") { error in
            log.log(.warning, "display.failed", ["reason": .text("\(error)")])
        }
    }

    /// The way to the controller that the configuration names.
    private static func openTransport(_ radio: RadioSection) throws(TransportError) -> any HCITransport {
        switch radio.transport {
        case .userChannel: try HCIUserChannel.open(radio.device)
        case .tcp: try TCPTransport.connect(host: radio.host, port: radio.port)
        case .serial: try SerialTransport.open(radio.device, baud: radio.baud, flowControl: radio.flowControl)
        }
    }
}

/// Tells systemd that the box serves: at its first advertisement, or at the first sign that the radio is out of order, which a
/// restart would not cure.
private final class ReadinessOutput: KioskListener {
    private let manager: ServiceManager
    private let isReady = Mutex(false)
    private let line = Mutex(StatusLine())

    init(_ manager: ServiceManager) {
        self.manager = manager
    }

    func note(_ note: KioskNote, of visit: VisitID?, at now: Instant) {
        guard let text = line.withLock({ $0.take(note) }) else { return }
        switch note {
        case .advertising, .radioFailed: announce(text)
        default: if isReady.withLock({ $0 }) { manager.status(text) }
        }
    }

    private func announce(_ status: String) {
        let isFirst = isReady.withLock { ready in
            defer { ready = true }
            return !ready
        }
        if isFirst { manager.ready(status: status) } else { manager.status(status) }
    }
}
