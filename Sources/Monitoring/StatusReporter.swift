package import Administration
package import Clocks
package import Encoding
import GateService
package import Kiosk
package import Observation
import Reasons

/// Makes the status report, which `gatehouse status` prints.
///
/// The kiosk and all parts are asked at the same time, each with the same time limit. The report names a part that
/// does not answer. Such a part delays no other part.
package struct StatusReporter: Sendable {
    /// Facts about the running service that do not change.
    package struct Identity: Sendable {
        /// The name of the gate in its advertisements.
        package var name: String
        /// The program's version.
        package var version: String
        /// The number of starts of the service with this database, including the present one.
        package var start: Int
        /// The instant of the start.
        package var since: Instant
        /// The hash (``Configuration/digest``) of the configuration with which the service was started.
        package var configuration: String
        /// Whether the gate can open a passage, by a relay or by wires to a gate controller.
        package var opens: Bool

        /// Creates the identity.
        package init(name: String, version: String, start: Int, since: Instant, configuration: String = "", opens: Bool)
        {
            (self.name, self.version, self.start, self.since) = (name, version, start, since)
            (self.configuration, self.opens) = (configuration, opens)
        }
    }

    private let identity: Identity
    private let limit: Duration
    private let now: @Sendable () async -> (instant: Instant, utc: Timestamp)
    private let kiosk: TimedQuery<KioskStatus>
    private let parts: [(name: Text, question: TimedQuery<StatusPart.Filling>)]

    /// Creates a reporter that asks the kiosk and the other parts of the service.
    ///
    /// - Parameters:
    ///   - identity: Facts about the service.
    ///   - clock: Measures the time limit.
    ///   - spawner: Starts the queries.
    ///   - kiosk: Returns the status of the kiosk.
    ///   - parts: The sources of the other members.
    ///   - limit: The time limit for each answer.
    ///   - now: Returns the present instant and the date.
    package init(
        _ identity: Identity, clock: Clock, spawner: Spawner, kiosk: @escaping @Sendable () async -> KioskStatus,
        parts: [StatusPart],
        within limit: Duration = ControlRouter.partLimit,
        now: @escaping @Sendable () async -> (instant: Instant, utc: Timestamp)
    ) {
        (self.identity, self.limit) = (identity, limit)
        self.kiosk = TimedQuery(by: clock, spawner, kiosk)
        self.parts = parts.map { ($0.name, TimedQuery(by: clock, spawner, $0.tell)) }
        self.now = now
    }

    /// Registers this reporter for the request for the status.
    package func register(in router: inout ControlRouter) { router.take(.status) { _ in await report().json } }

    /// Returns the whole report. Waits for each answer no longer than the time limit.
    package func report() async -> StatusReport {
        async let asked = kiosk.answer(within: limit)
        let told = await withTaskGroup(of: (Int, StatusPart.Filling?).self) { group in
            for (index, part) in parts.enumerated() {
                group.addTask { (index, await part.question.answer(within: limit)) }
            }
            return await group.reduce(into: [Int: StatusPart.Filling]()) { $0[$1.0] = $1.1 }
        }
        let status = await asked
        let silent = parts.indices.filter { told[$0] == nil }.map { parts[$0].name }

        let now = await now()
        var report = StatusReport()
        report.state = Self.state(status?.health.light ?? .fault, isComplete: silent.isEmpty)
        report.name = Text(identity.name)
        report.version = Text(identity.version)
        report.start = identity.start
        report.configuration = Text(identity.configuration)
        report.uptime = Self.seconds(from: identity.since, to: now.instant)
        report.observed = Timestamp(seconds: now.utc.seconds)
        report.silent = (status == nil ? [StatusReport.name(of: \.radio)] : []) + silent
        report.faults =
            status?.health.faults.map { Self.fault($0.code, $0.since, $0.count, $0.detail, now) }
            ?? [Self.fault(.stuck, now.instant, 1, "the radio's thread does not respond", now)]
        if let status { add(status, at: now, to: &report) }
        for part in told.values { part(&report) }
        return report
    }

    /// Returns the state of a gate whose light shows `light`. `isComplete`: all parts have answered.
    private static func state(_ light: IndicatorPattern, isComplete: Bool) -> StatusReport.State {
        switch light {
        case .ready: isComplete ? .fine : .attention
        case .attention: .attention
        default: .fault
        }
    }

    private static func fault(
        _ code: ReasonCode, _ since: Instant, _ count: Int, _ detail: String?,
        _ now: (instant: Instant, utc: Timestamp)
    ) -> StatusReport.Fault {
        let age = max(.zero, since.duration(to: now.instant))
        var fault = StatusReport.Fault()
        (fault.code, fault.severity) = (Text(code.text), code.severity)
        fault.since = Timestamp(seconds: now.utc.advanced(by: .zero - age).seconds)
        (fault.seconds, fault.count) = (Int(age.components.seconds), count)
        (fault.meaning, fault.remedy, fault.detail) = (code.meaning, code.remedy, detail)
        return fault
    }

    private func add(
        _ status: KioskStatus, at now: (instant: Instant, utc: Timestamp), to report: inout StatusReport
    ) {
        let counters = status.counters
        report.radio = Self.radio(status)
        report.light = status.light
        var gate = StatusReport.Gate()
        gate.isOpen = status.isGateOpen
        report.gate = .some(identity.opens ? gate : nil)
        report.visits = Dictionary(uniqueKeysWithValues: counters.visits.map { (Text($0.key.name), $0.value) })
        report.reasons = Dictionary(grouping: counters.endings) { Text($0.key.result.name) }.mapValues { endings in
            Dictionary(uniqueKeysWithValues: endings.map { (Text($0.key.reason.text), $0.value) })
        }
        var figures = StatusReport.Figures()
        (figures.transfer, figures.bytes, figures.identified) = (counters.transfer, counters.bytes, counters.identified)
        (figures.decision, figures.turn) = (counters.decision, counters.turn)
        report.figures = figures
        report.refusedIntents = counters.ledgerFailures
        report.door = DoorHandler.report(status.door, at: now)
    }

    private static func radio(_ status: KioskStatus) -> StatusReport.Radio {
        let counters = status.counters
        var radio = StatusReport.Radio()
        (radio.state, radio.controller, radio.phones) = (status.radio, status.controller, status.phones)
        (radio.timesReady, radio.failures) = (counters.timesRadioWasReady, counters.radioFailures)
        (radio.adapterResets, radio.advertisingLapses) = (counters.adapterResets, counters.advertisingLapses)
        (radio.linkResets, radio.bufferResets) = (counters.linkResets, counters.bufferResets)
        (radio.ignoredPackets, radio.droppedPDUs) = (counters.ignoredPackets, counters.droppedPDUs)
        radio.refusedPhones = counters.refusedPhones
        (radio.spoiledChunks, radio.repairs) = (counters.spoiledChunks, counters.repairs)
        return radio
    }

    private static func seconds(from start: Instant, to end: Instant) -> Int {
        Int(max(.zero, start.duration(to: end)).components.seconds)
    }
}
