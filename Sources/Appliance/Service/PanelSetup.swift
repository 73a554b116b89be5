import Credentials
import Kiosk
import LinuxIO
import Synchronization

/// Takes the lines that the configuration names and makes a panel of them, everything inactive.
struct PanelSetup: Sendable {
    let request: LineRequest
    /// Hears of lines that cannot be set, from their own threads.
    let report: HealthReporter
    private let gate = GateFaults()

    init(request: LineRequest, report: @escaping HealthReporter) { (self.request, self.report) = (request, report) }

    /// The panel. What is wrong is a state of the box (a chip that is not there yet, lines that another program holds): nothing is
    /// held then, and it may be tried again.
    /// `gone` is called, from their threads, when the chip has gone away under its lines: then they are to be taken anew.
    func open(gone: @escaping @Sendable () -> Void) throws(ServiceFailure) -> LinePanel {
        var (relay, free): (Relay?, Relay?)
        var wiegand: WiegandOutput?
        // Lines that were given up tell nothing any more.
        gate.forget()
        do {
            // First of all: after a crash some kernels keep driving a relay until its line is taken again.
            relay = try request.gate.map { try openRelay($0, "the gate's relay", gone) }
            free = try request.free.map { try openRelay($0, "the output for free passage", gone) }
            wiegand = try openWiegand(gone)
            let lamps = try request.indicator.isEmpty ? nil : openLamps(request.indicator, gone)
            return LinePanel(request.wiring, lamps: lamps, relay: relay, free: free, wiegand: wiegand)
        } catch {
            for line in [relay, free] { _ = line?.end(within: .milliseconds(200)) }
            _ = wiegand?.end(within: .milliseconds(200))
            switch error {
            case let failure as ServiceFailure: throw failure
            case let error as GPIOError: throw ServiceFailure("\(error)", remedy: error.remedy)
            case let error as SystemError: throw ServiceFailure("\(error)", remedy: error.remedy)
            default: throw ServiceFailure("\(error)", remedy: "Look at gpioinfo.")
            }
        }
    }

    private func openRelay(
        _ output: GPIOLines.Output, _ what: String, _ gone: @escaping @Sendable () -> Void
    ) throws -> Relay {
        let bank = try GPIOLines(chip: request.chip, [output])
        try Self.check(bank, isInactive: what)
        if output == request.gate { bank.releaseAtCrash() }
        return try Relay(bank, line: output.name) { [report, gate] trouble in
            guard let trouble else {
                for code in [ReasonCode.gateStuck, .gpioFailed] { report(.over(code)) }
                if gate.mend(.relay) { report(.over(.gateUnavailable)) }
                return
            }
            let detail = "\(trouble.error). \(trouble.error.remedy)"
            // Worse than a relay that does not open is one that does not shut. Neither lets anybody in.
            report(.present(trouble.isStuck ? .gateStuck : .gpioFailed, detail: detail))
            if trouble.isLasting {
                gate.fail(.relay)
                report(.present(.gateUnavailable, detail: detail))
            }
            if trouble.error.isGone { gone() }
        }
    }

    /// A controller that cannot be told is a gate that cannot be opened.
    private func openWiegand(_ gone: @escaping @Sendable () -> Void) throws -> WiegandOutput? {
        guard let (outputs, section) = request.wiegand, let frame = section.frame, outputs.count == 2 else {
            return nil
        }
        let bank = try GPIOLines(chip: request.chip, outputs)
        try Self.check(bank, isInactive: "the wires to the controller")
        return try WiegandOutput(
            bank, wires: (outputs[0].name, outputs[1].name), bits: frame.bits, timing: section.timing,
            sent: { [report] sent in
                switch sent {
                case .whole: report(.over(.wiegandUnsure))
                case .slow(let pulse, let gap):
                    report(.present(.wiegandUnsure, detail: "a pulse of \(pulse), a gap of \(gap)"))
                case .lost: report(.present(.wiegandUnsure, detail: "a frame was not sent, or not to its end"))
                }
            },
            failed: { [report, gate] trouble in
                guard let trouble else {
                    report(.over(.gpioFailed))
                    if gate.mend(.controller) { report(.over(.gateUnavailable)) }
                    return
                }
                let detail = "\(trouble.error). \(trouble.error.remedy)"
                report(.present(.gpioFailed, detail: detail))
                if trouble.isLasting {
                    gate.fail(.controller)
                    report(.present(.gateUnavailable, detail: detail))
                }
                if trouble.error.isGone { gone() }
            })
    }

    private func openLamps(_ outputs: [GPIOLines.Output], _ gone: @escaping @Sendable () -> Void) throws -> LampLines {
        let bank = try GPIOLines(chip: request.chip, outputs)
        try Self.check(bank, isInactive: "lamps or sounder")
        return try LampLines(bank, names: outputs.map(\.name)) { [report] trouble in
            guard let error = trouble?.error else { return report(.over(.gpioFailed)) }
            report(.present(.gpioFailed, detail: "\(error). \(error.remedy)"))
            if error.isGone { gone() }
        }
    }

    /// What was just taken as inactive is read back: a line that something else holds would be a gate that stands open.
    private static func check(_ bank: GPIOLines, isInactive what: String) throws {
        let active = try bank.active()
        guard active.isEmpty else {
            let error = GPIOError.active(active.sorted())
            throw ServiceFailure("\(what): \(error)", remedy: error.remedy)
        }
    }
}

/// What of the ways to open the gate is out of order for good. Without a lock, as threads of lines tell it.
private final class GateFaults: Sendable {
    enum Part: Int { case relay = 1, controller = 2 }

    private let parts = Atomic<Int>(0)

    func forget() { parts.store(0, ordering: .releasing) }

    func fail(_ part: Part) { parts.bitwiseOr(part.rawValue, ordering: .acquiringAndReleasing) }

    /// Whether all of it is in order from now on.
    func mend(_ part: Part) -> Bool {
        parts.bitwiseAnd(~part.rawValue, ordering: .acquiringAndReleasing).newValue == 0
    }
}
