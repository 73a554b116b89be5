import Clocks
import Commissioning
import Console
import Encoding
import Glibc
import LinuxIO

/// The second half of `gatehouse doctor --pins`: tests each input once, while a person triggers it.
struct InputCheck {
    let steps: [InputTrial.Step]
    let chip: String
    /// Whether the command prints and asks nothing, because a program reads the result.
    let isSilent: Bool

    /// The interval in milliseconds at which the command polls edges and keyboard.
    private static let look: Int32 = 50

    /// Tests all inputs and returns the findings. If no person can answer, the findings contain only the present
    /// levels.
    func findings() throws -> [Finding] {
        guard !steps.isEmpty else { return [] }
        let watch: InputWatch
        do throws(SystemError) { watch = try InputWatch(steps, chip: chip) } catch {
            throw CommandFailure("\(error)", remedy: "try it again")
        }
        defer { watch.end(within: .seconds(1)) }
        do throws(GPIOError) { try settle(watch) } catch { return steps.map { InputTrial.finding($0, error) } }
        guard !isSilent, isatty(STDIN_FILENO) == 1 else {
            return steps.indices.map { InputTrial.untried(steps[$0], isActive: watch.active.contains($0)) }
        }
        Terminal.line("Each input in turn. Shut the door, close the lid and keep the way clear.")
        var findings: [Finding] = []
        for index in steps.indices {
            guard let finding = play(index, watch) else { break }
            findings.append(finding)
        }
        return findings
            + steps.indices.dropFirst(findings.count)
            .map { InputTrial.untried(steps[$0], isActive: watch.active.contains($0)) }
    }

    /// Waits until the lines are requested from the kernel and their levels are known. Throws after three seconds.
    private func settle(_ watch: InputWatch) throws(GPIOError) {
        let last = Machine.clock.now().advanced(by: .seconds(3))
        while try !watch.isThere() {
            guard Machine.clock.now() < last else { throw .failed(SystemError("taking the inputs", code: ETIMEDOUT)) }
            usleep(UInt32(Self.look) * 1000)
        }
        usleep(UInt32(clamping: InputTrial.settling.nanoseconds / 1000))
    }

    /// Tests one input, repeatedly if the person wants that. Returns nil if the person ends the input of the terminal
    /// before a result.
    private func play(_ index: Int, _ watch: InputWatch) -> Finding? {
        let step = steps[index]
        Terminal.line("\(step.name): \(step.task)")
        // The result of the last attempt. A later attempt that the person skips does not discard it.
        var last: Finding?
        while true {
            Terminal.write("  Is it at rest? Enter to begin, [s]kip: ")
            guard let answer = readLine()?.lowercased() else { return last }
            if answer.hasPrefix("s") {
                return last ?? InputTrial.untried(step, isActive: watch.active.contains(index))
            }
            let finding = attempt(index, watch)
            if finding.state == .good { return finding }
            if finding.state == .unknown { return last ?? finding }
            Terminal.line("  " + Terminal.printable(finding.detail))
            last = finding
            Terminal.write("  [a]gain, or Enter to go on: ")
            guard let answer = readLine()?.lowercased(), answer.hasPrefix("a") else { return finding }
        }
    }

    private func attempt(_ index: Int, _ watch: InputWatch) -> Finding {
        // Discard the edges that were detected before the attempt.
        _ = try? watch.edges()
        var trial = InputTrial(steps, at: index, active: watch.active, at: Machine.clock.now())
        if trial.finding == nil {
            Terminal.line(
                "  It is \(steps[index].level(false)). Do it now, within \(InputTrial.limit.components.seconds) s; "
                    + "Enter skips it."
            )
        }
        while true {
            do throws(GPIOError) { trial.handle(try watch.edges(), at: Machine.clock.now()) } catch {
                trial.fail(error)
            }
            if let finding = trial.finding {
                if finding.state == .good { Terminal.line("  Seen.") }
                return finding
            }
            var keyboard = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&keyboard, 1, Self.look) > 0 else { continue }
            _ = readLine()
            trial.skip()
        }
    }
}
