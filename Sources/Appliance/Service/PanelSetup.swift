import Credentials
import Kiosk
import LinuxIO

/// Takes the lines that the configuration names and makes a panel of them, everything inactive.
///
/// The relay's line is a request of its own, so that no call for a lamp can stand before its release.
struct PanelSetup: Sendable {
    let configuration: Configuration

    /// The panel; nil where no chip is configured. `report` hears of lines that cannot be set, from their own threads.
    func open(_ report: @escaping HealthReporter) throws(ServiceFailure) -> LinePanel? {
        guard let chip = configuration.gpio.chip else { return nil }
        let indicator = configuration.indicator
        let lamps: [(Lamp, String?)] = [
            (.blue, indicator.blue), (.amber, indicator.amber), (.green, indicator.green), (.red, indicator.red),
        ]
        let wiring = LinePanel.Wiring(
            lamps: Dictionary(lamps.compactMap { lamp, line in line.map { (lamp, $0) } }) { first, _ in first },
            tone: indicator.tone, gate: configuration.gate.line)
        do {
            // First of all: after a crash some kernels keep driving a relay until its line is taken again.
            var relay: Relay?
            if let line = configuration.gate.line {
                let output = GPIOLines.Output(line, activeLow: configuration.gate.activeLow)
                let bank = try GPIOLines(chip: chip, [output])
                try Self.check(bank, isInactive: "the gate's relay")
                bank.releaseAtCrash()
                relay = try Relay(bank, line: line) { error, wanted in
                    // Worse than a relay that does not open is one that does not shut.
                    let code: ReasonCode = wanted.isEmpty ? .gateStuck : .gpioFailed
                    guard let error else {
                        report(.over(.gateStuck))
                        return report(.over(.gpioFailed))
                    }
                    report(.present(code, detail: "\(error). \(error.remedy)"))
                }
            }
            let names = lamps.compactMap(\.1) + [indicator.tone].compactMap { $0 }
            var lampLines: LampLines?
            if !names.isEmpty {
                let outputs = names.map { GPIOLines.Output($0, activeLow: indicator.activeLow) }
                let bank = try GPIOLines(chip: chip, outputs)
                try Self.check(bank, isInactive: "lamps or sounder")
                lampLines = try LampLines(bank, names: names) { error, _ in
                    report(error.map { .present(.gpioFailed, detail: "\($0). \($0.remedy)") } ?? .over(.gpioFailed))
                }
            }
            return LinePanel(wiring, lamps: lampLines, relay: relay)
        } catch let error as GPIOError {
            throw ServiceFailure("\(error)", remedy: error.remedy)
        } catch let error as SystemError {
            throw ServiceFailure("\(error)", remedy: error.remedy)
        } catch {
            throw ServiceFailure("\(error)", remedy: "Look at gpioinfo.")
        }
    }

    /// What was just taken as inactive is read back: a line that something else holds would be a gate that stands open.
    private static func check(_ bank: GPIOLines, isInactive what: String) throws {
        let active = try bank.active()
        guard active.isEmpty else {
            throw ServiceFailure(
                "\(what): \(active.sorted().joined(separator: ", ")) is active though it was set inactive",
                remedy: "Look at the wiring: something else drives the line, or active-low is the wrong way round.")
        }
    }
}
