import Aries
import Credentials
import Encoding
import Foundation
import HTTPTransport
package import Kiosk
import Ledger
package import LinuxIO
package import Store
import Synchronization

/// The composition root: every part of the running appliance, made from the configuration and handed to those who need it.
///
/// A configuration file that is wrong has been refused before. What else may be wrong at a start (trust data, rules, ledger, GPIO
/// chip, log, display) is a state: it is told, nobody is let in by it, and it is taken up when it comes.
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
    /// systemd.
    package let manager: ServiceManager
    /// Lamps and relay; nil without GPIO.
    package let lines: LineOutput?
    /// Hears what is wrong with the box.
    package let report: HealthReporter

    /// Builds everything; the radio is not touched yet. Waits for the ledger; throws what no waiting mends.
    package static func make(
        _ configuration: Configuration, version: String, environment: [String: String]
    ) async throws -> Composition {
        let (log, report) = try openLog(configuration, environment)
        // First of all: after a crash some kernels keep driving a relay until its line is taken again.
        let lines = openLines(configuration, report)
        let manager = ServiceManager(environment: environment)
        let trust = try TrustState(configuration.trust).begin(report)
        let defaults = defaults(configuration)
        let direction = GateDirection(rawValue: configuration.gate.direction.rawValue)
        // The rules of a file of their own win over those that came with the trust data.
        let policyOver: @Sendable (GatePolicy?) -> VerificationPolicy = { rules in
            rules.map { VerificationPolicy($0, over: defaults, direction: direction) } ?? defaults
        }
        let policyFile = configuration.policy.file.map { PolicyState(path: $0, folder: configuration.trust.state) }
        let policy = policyOver(policyFile?.begin(log, report) ?? trust.directory.rules)
        let trusted = trust.directory.store
        trusted.warmUp()
        let verifiers = VerifierInForce(Verifier(trust: trusted, policy: policy))
        let clock = ClockWatch()
        let kiosk = Text(configuration.kiosk.id)
        let boot = try Boot.id(folder: environment["RUNTIME_DIRECTORY"].flatMap(firstFolder))
        let software = Outcome.Software(name: "gatehouse", version: Text(version))
        let waiting = Waiting(
            report: report, manager: manager,
            show: { lines?.show($0, of: .fault, at: SystemClock.now()) })
        let (store, saved, stamp, starts, interrupted, siteKey) = try await waiting.forLedger {
            () async throws(StoreError) in
            let store = try await Store.open(configuration.ledger.path)
            let saved = await store.savedClock
            let stamp: @Sendable () -> RecordStamp = {
                RecordStamp(
                    kiosk: kiosk, boot: boot, time: SystemClock.wallTime(saved: saved), monotonic: SystemClock.now())
            }
            do throws(StoreError) {
                let interrupted = try await store.recover(stamp: stamp(), software: software)
                return (store, saved, stamp, try await store.countStart(), interrupted, try await store.siteKey())
            } catch {
                await store.close()
                throw error
            }
        }
        let wallTime: @Sendable () -> WallTime = { SystemClock.wallTime(saved: saved) }
        let judgedTime: @Sendable () -> WallTime = { clock.annotate(wallTime(), at: SystemClock.now()) }
        log.log(
            .info, "started",
            [
                "version": .text(version), "kiosk": .string(kiosk), "trust": .text(trusted.version),
                "start": .int(starts), "interrupted": .int(interrupted.count),
            ])

        if let rules = policy.rules {
            log.log(.info, "policy", ["version": .text(rules.name)])
            PolicyService.warn(about: rules, by: trusted, log)
        }

        let agents = AgentService(configuration: configuration, store: store, log: log)
        let keeper = LedgerKeeper(store: store, siteKey: siteKey, stamp: stamp, onChange: { agents.wake() })
        var outputs: [any KioskOutput] =
            (lines.map { [$0] } ?? []) + [LogOutput(log), display(configuration, report), ReadinessOutput(manager)]
        if configuration.display.kind == .terminal {
            outputs.append(TerminalOutput { try? FileHandle.standardOutput.write(contentsOf: Data(($0 + "\n").utf8)) })
        }
        let radio = configuration.radio
        let gatekeeper = try Gatekeeper(
            settings: KioskSettings(configuration, softwareVersion: version),
            surroundings: Gatekeeper.Surroundings(
                openTransport: { () throws(TransportError) in try openTransport(radio) }, ledger: keeper,
                verify: { payload, date in verifiers.verify(payload, at: date, monotonic: SystemClock.now()) },
                wallTime: judgedTime, outputs: outputs))
        let refreshing = TrustService.make(
            configuration.trust, beginning: trust, verifiers: verifiers, policy: policyFile == nil ? policyOver : nil,
            wallTime: judgedTime, log: log, report: report)
        let watching = PolicyService(
            policyFile, over: defaults, direction: direction, verifiers: verifiers, log: log, report: report)
        return Composition(
            configuration: configuration, log: log, store: store, keeper: keeper, gatekeeper: gatekeeper,
            agents: agents, trust: refreshing, policy: watching, manager: manager, lines: lines,
            report: report)
    }

    /// What holds where a policy file says nothing. Without a file everybody with a valid credential of a trusted issuer is let
    /// in, and one who comes again at once is only noted.
    private static func defaults(_ configuration: Configuration) -> VerificationPolicy {
        var policy = VerificationPolicy(profile: Profile(rawValue: configuration.trust.profile.rawValue) ?? .strict)
        policy.clockSkew = configuration.clock.skew
        policy.minimumClock = WallTime.Provenance(rawValue: configuration.clock.minimum.rawValue) ?? .rtc
        policy.replay.action = .flag
        return policy
    }

    /// The log, and the reports of what is wrong with the box as lines of it. A log file that cannot be opened leaves standard
    /// error or the journal.
    private static func openLog(
        _ configuration: Configuration, _ environment: [String: String]
    ) throws -> (LogSink, HealthReporter) {
        let minimum = LogSink.Level(rawValue: configuration.log.level.rawValue) ?? .info
        let standard: LogSink.Output = environment["JOURNAL_STREAM"] == nil ? .standardError : .journal
        guard let path = configuration.log.path else {
            let log = try LogSink(standard, minimum: minimum)
            return (log, HealthLog.reporter(log))
        }
        do {
            let log = try LogSink(.file(path), minimum: minimum)
            return (log, HealthLog.reporter(log))
        } catch {
            let log = try LogSink(standard, minimum: minimum)
            let report = HealthLog.reporter(log)
            report(.present(.logDropped, detail: "\(error)"))
            return (log, report)
        }
    }

    /// The first of the folders that systemd lists with colons between them.
    private static func firstFolder(_ list: String) -> String? { list.split(separator: ":").first.map(String.init) }

    private static func display(
        _ configuration: Configuration, _ report: @escaping HealthReporter
    ) -> InvitationOutput {
        let output: DisplayOutput =
            switch configuration.display.kind {
            case .terminal: .terminal(1)
            case .file: .file(configuration.display.file, scale: configuration.display.scale)
            case .none: .none
            }
        return InvitationOutput(
            output, caption: "Scan with your wallet: \(configuration.kiosk.name)", report: report)
    }

    /// The way to the controller that the configuration names.
    private static func openTransport(_ radio: RadioSection) throws(TransportError) -> any HCITransport {
        switch radio.transport {
        case .userChannel: try HCIUserChannel.open(radio.device)
        case .tcp: try TCPTransport.connect(host: radio.host, port: radio.port)
        case .serial: try SerialTransport.open(radio.device, baud: radio.baud, flowControl: radio.flowControl)
        }
    }

    /// Lamps and relay; without their chip the box serves all the same, the gate stays shut, and `LineService` tries again.
    private static func openLines(
        _ configuration: Configuration, _ report: @escaping HealthReporter
    ) -> LineOutput? {
        guard let request = LineRequest(configuration) else { return nil }
        let lines = LineOutput(request) { report(.present(.gpioFailed, detail: "\($0). \($0.remedy)")) }
        do throws(GPIOError) {
            try lines.takeLines()
            report(.over(.gpioFailed))
        } catch {
            report(.present(.gpioFailed, detail: "\(error). \(error.remedy)"))
        }
        return lines
    }
}

/// Health as lines of the log: each change of what is wrong.
private enum HealthLog {
    static func reporter(_ log: LogSink) -> HealthReporter {
        let told = Told()
        return { report in
            let isNew = told.reports.withLock { known in
                if report.isPresent {
                    defer { known[report.code.text] = report.detail ?? "" }
                    return known[report.code.text] != report.detail ?? ""
                }
                return known.removeValue(forKey: report.code.text) != nil
            }
            guard isNew else { return }
            var line: JSONObject = ["code": .text(report.code.text), "present": .bool(report.isPresent)]
            if report.isPresent { line["remedy"] = .text(report.code.remedy) }
            if let count = report.count { line["count"] = .int(count) }
            if let detail = report.detail { line["detail"] = .text(detail) }
            log.log(report.isPresent ? .warning : .info, "health", line)
        }
    }

    private final class Told: Sendable {
        /// Code → detail of what is wrong now.
        let reports = Mutex<[String: String]>([:])
    }
}

/// Tells systemd that the box serves: at its first advertisement, or at the first sign that the radio is out of order, which a
/// restart would not cure.
private final class ReadinessOutput: KioskOutput {
    private let manager: ServiceManager
    private let isReady = Mutex(false)

    init(_ manager: ServiceManager) {
        self.manager = manager
    }

    func note(_ note: KioskNote, at now: Instant) {
        switch note {
        case .advertising: announce("waiting for a phone")
        case .radioFailed(let reason, _): announce("radio out of order: \(reason)")
        default: break
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
