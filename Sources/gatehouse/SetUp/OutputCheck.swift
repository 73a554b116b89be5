import Administration
import Commissioning
import Console
import Encoding
import Glibc
import LinuxIO
import Settings

/// The operation of `gatehouse doctor --pins`: tests each output once, while a person watches; then each input, while a
/// person triggers it.
struct OutputCheck {
    private let configuration: Configuration
    private let places: SetupPlaces
    private let chip: String
    private let isSilent: Bool
    private let steps: [OutputTrial.Step]
    private let inputs: InputCheck

    /// Creates a test of the lines in the configuration of the gate at `places`. With `isSilent` the test prints and
    /// asks nothing, because a program reads the result.
    init(_ configuration: Configuration, of places: SetupPlaces, isSilent: Bool) throws {
        guard let chip = configuration.gpio.chip else {
            throw CommandFailure("the configuration names no lines", remedy: "set gpio.chip and gate.line")
        }
        (self.configuration, self.places) = (configuration, places)
        self.chip = chip
        self.isSilent = isSilent
        steps = OutputTrial.steps(configuration)
        inputs = InputCheck(steps: InputTrial.steps(configuration), chip: chip, isSilent: isSilent)
    }

    /// Tests all outputs and inputs. Throws if the service is running, because only one process can use the lines.
    func findings() throws -> [Finding] {
        guard !isServiceThere else {
            throw CommandFailure(
                "the service is running and uses the lines",
                remedy: places.told("systemctl stop gatehouse, and start it again afterwards"))
        }
        let findings = try outputs()
        guard findings.count == steps.count else {
            // If the person stops, do not ask about the remaining outputs and inputs.
            return findings + steps.dropFirst(findings.count).map { OutputTrial.finding($0, .none) }
                + inputs.steps.map { InputTrial.untried($0, isActive: nil) }
        }
        return findings + (try inputs.findings())
    }

    /// Returns the findings about the outputs before the one at which the person stopped; about all outputs if the
    /// person did not stop.
    private func outputs() throws -> [Finding] {
        let lines: GPIOLines
        do throws(GPIOError) { lines = try OutputTrial.take(steps, chip: chip) } catch {
            throw CommandFailure("\(error)", remedy: error.remedy)
        }
        defer { lines.close() }
        lines.releaseAtCrash()
        let trial = OutputTrial(lines) { usleep(UInt32(clamping: $0.nanoseconds / 1000)) }
        if !isSilent {
            Terminal.line("Each output in turn. Disconnect the lock from the relay, or keep people away from the gate.")
        }
        var findings: [Finding] = []
        for step in steps {
            guard let finding = try play(step, trial) else { break }
            findings.append(finding)
        }
        return findings
    }

    /// Whether a service listens at the control socket, even if this service does not answer.
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

    /// Tests one output. Returns nil if the person wants to stop.
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
            Terminal.write("  Did exactly that happen? [y]es, [n]o, [a]gain: ")
            guard let answer = readLine()?.lowercased() else { return nil }
            if answer.hasPrefix("a") { continue }
            return OutputTrial.finding(step, answer.hasPrefix("y") ? .right : .wrong)
        }
    }
}
