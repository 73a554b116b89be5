import Administration
package import Clocks
package import Kiosk
import LinuxIO
import Reasons
package import Settings

/// Requests the configured lines and makes a panel of them. All lines are inactive at first.
struct PanelSetup: Sendable {
    let request: LineRequest
    /// The wires to a gate controller; nil: the gate has none.
    let controller: (any ControllerLines)?
    /// The clock by which pulses are measured.
    let clock: Clock
    /// The observer of the lines that open the gate.
    let watch: OpeningWatch
    private let faults: OutputFaults

    /// Creates a setup that has requested no lines. `report` receives the faults of lines that cannot be set, on the
    /// threads of the lines.
    init(
        request: LineRequest, controller: (any ControllerLines)?, clock: Clock, report: @escaping HealthReporter
    ) {
        (self.request, self.controller, self.clock) = (request, controller, clock)
        watch = OpeningWatch(sendsFrames: request.outputs[.gateRelay] == nil)
        faults = OutputFaults(report: report)
    }

    /// Requests the lines and returns the panel. A failure may be temporary, for example if the chip is missing or
    /// another program holds the lines. After a failure no line is requested, and the call may be repeated. `gone` is
    /// called on the threads of the lines when the chip has disappeared; the lines must then be requested again.
    func open(gone: @escaping @Sendable () -> Void) throws(ServiceFailure) -> LinePanel {
        var relays: [OutputRole: Relay] = [:]
        var output: (any ControllerOutput)?
        let faults = faults.begin()
        let tell: OutputFaults.FaultReporter = { group, trouble in
            faults(group, trouble)
            if let trouble, trouble.error.isGone { gone() }
        }
        do {
            // Request the relay first: after a crash some kernels keep the relay energised until its line is
            // requested again.
            for role in OutputRole.separate { relays[role] = try openRelay(role, tell) }
            output = try openController(tell)
            let lamps = try openLamps(tell)
            return LinePanel(
                request.outputs.mapValues(\.name), lamps: lamps, relay: relays.removeValue(forKey: .gateRelay),
                held: relays, controller: output, watch: watch)
        } catch {
            for role in OutputRole.separate { _ = relays[role]?.end(within: .milliseconds(200)) }
            _ = output?.end(within: .milliseconds(200))
            switch error {
            case let failure as ServiceFailure: throw failure
            case let error as GPIOError: throw ServiceFailure(error)
            case let error as SystemError: throw ServiceFailure(GPIOError.failed(error))
            default: throw ServiceFailure("\(ReasonCode.gpioCall): \(error)", remedy: "Check gpioinfo.")
            }
        }
    }

    private func openRelay(_ role: OutputRole, _ tell: @escaping OutputFaults.FaultReporter) throws -> Relay? {
        guard let output = request.outputs[role] else { return nil }
        let bank = try GPIOLines(chip: request.chip, [output])
        try Self.check(bank, isInactive: role.title)
        guard role.kind == .pulse else { return try Relay(bank, line: output.name) { tell([role], $0) } }
        bank.releaseAtCrash()
        return try Relay(WatchedBank(bank, watch, clock: clock), line: output.name) { tell([role], $0) }
    }

    private func openController(_ tell: @escaping OutputFaults.FaultReporter) throws -> (any ControllerOutput)? {
        let wires = request.lines(of: OutputRole.wires)
        guard wires.count == 2, let controller else { return nil }
        let bank = try GPIOLines(chip: request.chip, wires)
        try Self.check(bank, isInactive: "the wires to the controller")
        // If the gate also has a relay, the relay opens the gate and the wires need no marks.
        let marks = watch.sendsFrames ? watch.newMarks(at: clock.now()) : nil
        return try controller.output(
            on: bank, wires: (wires[0].name, wires[1].name), marks: marks, failed: { tell(OutputRole.wires, $0) })
    }

    private func openLamps(_ tell: @escaping OutputFaults.FaultReporter) throws -> LampLines? {
        let lines = request.lines(of: OutputRole.signals)
        guard !lines.isEmpty else { return nil }
        let bank = try GPIOLines(chip: request.chip, lines)
        try Self.check(bank, isInactive: "lamps or sounder")
        return try LampLines(bank, names: lines.map(\.name)) { tell(OutputRole.signals, $0) }
    }

    /// Checks that lines that were requested as inactive also read as inactive. A relay's line that another device
    /// drives would hold the gate open.
    private static func check(_ bank: GPIOLines, isInactive what: String) throws {
        let active = try bank.active()
        guard active.isEmpty else {
            throw ServiceFailure(GPIOError.active(active.sorted()), of: what)
        }
    }
}

extension ServiceFailure {
    /// Creates the failure for lines that cannot be requested. Like the text of a fault, the text begins with the
    /// reason code.
    fileprivate init(_ error: GPIOError, of part: String? = nil) {
        self.init("\(error.cause): \(part.map { $0 + ": " } ?? "")\(error)", remedy: error.remedy)
    }
}

extension ReconnectingPanel {
    /// Creates the panel for the lines of a configuration, and requests no lines yet. Returns nil if the
    /// configuration names no chip. `controller` contains the wires to a gate controller; nil: the gate has none.
    /// `report` receives the faults of missing lines and of lines that cannot be set, and the ends of these faults.
    package convenience init?(
        _ configuration: Configuration, controller: (any ControllerLines)?, clock: Clock,
        report: @escaping HealthReporter
    ) {
        guard let request = LineRequest(configuration) else { return nil }
        let setup = PanelSetup(request: request, controller: controller, clock: clock, report: report)
        self.init(report: report, watch: setup.watch) { gone throws(ServiceFailure) in try setup.open(gone: gone) }
    }
}
