import Appliance
import Encoding
import Glibc
import LinuxIO

/// `gatehouse doctor --pins`: each output once, with somebody who looks on; then each input, with somebody who acts.
struct PinsRitual {
    private let configuration: Configuration
    private let places: SetupPlaces
    private let chip: String
    private let isSilent: Bool
    private let steps: [OutputTrial.Step]
    private let inputs: InputsRitual

    /// A trial of the lines that the configuration of the gate at those places names. Silent: nothing is asked, for machines.
    init(_ configuration: Configuration, of places: SetupPlaces, isSilent: Bool) throws {
        guard let chip = configuration.gpio.chip else {
            throw CommandFailure("the configuration names no lines", remedy: "set gpio.chip and gate.line")
        }
        (self.configuration, self.places) = (configuration, places)
        self.chip = chip
        self.isSilent = isSilent
        steps = OutputTrial.steps(configuration)
        inputs = InputsRitual(steps: InputTrial.steps(configuration), chip: chip, isSilent: isSilent)
    }

    /// Plays them all. Refuses while the service runs, which holds the lines; they are taken here and nowhere else.
    func findings() throws -> [Finding] {
        guard !isServiceThere else {
            throw CommandFailure(
                "the service runs and holds the lines",
                remedy: places.told("systemctl stop gatehouse, and start it again afterwards"))
        }
        let findings = try outputs()
        guard findings.count == steps.count else {
            // Whoever does not go on is not asked for the rest.
            return findings + steps.dropFirst(findings.count).map { OutputTrial.finding($0, .none) }
                + inputs.steps.map { InputTrial.untried($0, isActive: nil) }
        }
        return findings + (try inputs.findings())
    }

    /// What came of the outputs, as far as somebody wanted to go.
    private func outputs() throws -> [Finding] {
        let lines: GPIOLines
        do throws(GPIOError) { lines = try OutputTrial.take(steps, chip: chip) } catch {
            throw CommandFailure("\(error)", remedy: error.remedy)
        }
        defer { lines.close() }
        lines.releaseAtCrash()
        let trial = OutputTrial(lines) { usleep(UInt32(clamping: $0.nanoseconds / 1000)) }
        if !isSilent {
            Terminal.line("Each output in turn. Have the lock off the relay, or nobody near the gate.")
        }
        var findings: [Finding] = []
        for step in steps {
            guard let finding = try play(step, trial) else { break }
            findings.append(finding)
        }
        return findings
    }

    /// Whether somebody listens at the control socket, even if he does not answer.
    private var isServiceThere: Bool {
        guard let path = configuration.control.path else { return false }
        do throws(ControlClient.Failure) {
            _ = try OwnerRole.of(path) { () throws(ControlClient.Failure) in
                try ControlClient.ask(path, ControlRequest.status.line([]), within: .seconds(2))
            }
            return true
        } catch {
            return error != .notRunning
        }
    }

    /// What came of one output; nil: nobody wants to go on.
    private func play(_ step: OutputTrial.Step, _ trial: OutputTrial) throws -> Finding? {
        let asks = !isSilent && isatty(STDIN_FILENO) == 1
        if !isSilent { Terminal.line("\(step.name), \(step.lines): \(step.task)") }
        while true {
            if asks, step.isGate {
                Terminal.write("  This moves the gate. Enter to go on: ")
                guard readLine() != nil else { return nil }
            }
            do throws(GPIOError) {
                try Interruption.held { () throws(GPIOError) in try trial.play(step) }
            } catch {
                return OutputTrial.finding(step, error)
            }
            if Interruption.came { throw CommandFailure("interrupted; all lines are inactive again", exitCode: 1) }
            guard asks else { return OutputTrial.finding(step, .none) }
            Terminal.write("  Did it, and nothing else? [y]es, [n]o, [a]gain: ")
            guard let answer = readLine()?.lowercased() else { return nil }
            if answer.hasPrefix("a") { continue }
            return OutputTrial.finding(step, answer.hasPrefix("y") ? .right : .wrong)
        }
    }
}
