import Kiosk
import LinuxIO
import Reasons
import Settings

extension Doctor {
    /// The lines of one chip that the configuration names, each with its key.
    private struct Wanted {
        let chip: String
        var lines: [(key: String, line: String)]
    }

    private var wanted: [Wanted] {
        let named =
            OutputRole.allCases.compactMap { role in configuration.outputs[role].map { (key: role.key, line: $0.name) }
            }
            + configuration.door.inputs.map { (key: "door.input, \($0.use.rawValue)", line: $0.line) }
        let chip = configuration.gpio.chip.map { [Wanted(chip: $0, lines: named)] } ?? []
        return chip
            + configuration.sectionLines.map { group in
                Wanted(chip: group.chip, lines: group.lines.map { ($0.key, $0.name) })
            }
    }

    /// The findings about GPIO chips and lines: whether they exist, are free, and can be used by the service.
    var lines: [Finding] {
        guard !wanted.isEmpty else {
            return [.good(.chip, "no lines are configured: this box opens no gate, and its signals are only logged")]
        }
        let nothing =
            configuration.opens
            ? []
            : [
                Finding.good(
                    .chip,
                    "there is neither a relay nor a connection to a controller: this box opens no "
                        + "gate")
            ]
        guard let list = facts.chips else { return [Self.chipsUnseen] }
        if case .failure(let error) = facts.gpioLibrary { return [Finding(error, .chip)] }
        let stays = facts.keepsLinesDriven && configuration.outputs[.gateRelay] != nil
        return nothing + library + priority + wanted.flatMap { findings($0.chip, $0.lines, list) }
            + (stays ? [Finding(.chip, .boxLinesStayDriven, "dtparam=strict_gpiod is missing")] : [])
    }

    /// The finding about libgpiod, the library that drives lines; empty if the facts do not include it.
    var library: [Finding] {
        switch facts.gpioLibrary {
        case .success(let name): [.good(.chip, "lines are driven by \(name)")]
        case .failure(let error): [Finding(error, .chip, state: .warning)]
        case nil: []
        }
    }

    /// The finding about whether a busy machine can lengthen a pulse; empty if no relay thread was seen.
    private var priority: [Finding] {
        guard let isFirst = facts.relaysRunFirst else { return [] }
        let text =
            isFirst
            ? "the relay's thread has real-time priority"
            : "the relay's thread has no real-time priority: on a busy machine a pulse may last longer"
        return [.good(.chip, text)]
    }

    /// The finding that the chips could not be examined.
    static let chipsUnseen = Finding.unknown(
        .chip, "GPIO chips can be checked only on the machine itself", "Run it there.")

    /// Returns the findings about the GPIO chip with a label and about the wanted lines of this chip.
    func findings(
        _ label: String, _ wanted: [(key: String, line: String)],
        _ list: (chips: [GPIOChips.Chip], forbidden: [String])
    ) -> [Finding] {
        let path: String
        do throws(GPIOError) {
            path = try GPIOChips.find(label, [], in: list).path
        } catch {
            guard case .notPermitted(let node) = error else { return [Finding(error, .chip)] }
            return [.unknown(.chip, "no permission to open \(node)", "Run it with sudo.")]
        }
        if let unit = facts.unit, !unit.permits(device: path, of: "char-gpiochip") {
            return [Finding(.chip, .boxDeviceDenied, "\(path) (char-gpiochip)")]
        }
        if let account = facts.account, let place = facts.places[path], place.writing(by: account) != .good {
            return [Finding(GPIOError.notPermitted(path: path), .chip, "\(facts.userName) may not open \(path)")]
        }
        return [.good(.chip, "\(label), \(path)")] + wanted.map { line($0, label, list) }
    }

    private func line(
        _ wanted: (key: String, line: String), _ label: String, _ list: (chips: [GPIOChips.Chip], forbidden: [String])
    ) -> Finding {
        let what = "\(wanted.line) (\(wanted.key))"
        do throws(GPIOError) {
            let (path, offsets) = try GPIOChips.find(label, [wanted.line], in: list)
            let chip = list.chips.first { $0.path.utf8.elementsEqual(path.utf8) }
            guard let offset = offsets.first, let chip, chip.holders.indices.contains(Int(offset)),
                let holder = chip.holders[Int(offset)]
            else { return .good(.line, "\(what) is free") }
            if Self.isOurs(holder) { return .good(.line, "\(what) is in use by \(holder)") }
            let who = holder.isEmpty ? "the kernel, or an unnamed program" : holder
            return Finding(GPIOError.busy(chip: label), .line, "\(what) is in use by \(who)")
        } catch {
            return Finding(error, .line, "\(what) is not on \(label)")
        }
    }

    /// Returns whether `holder`, the program that uses a line according to the kernel, is this service.
    private static func isOurs(_ holder: String) -> Bool {
        ["gatehouse", "gatehouse-display"].contains { $0.utf8.elementsEqual(holder.utf8) }
    }
}
