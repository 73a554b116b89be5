import Credentials
package import LinuxIO

/// Makes the outputs of a gate active one after the other, so that somebody who stands there sees whether the right thing happens.
/// One is active at a time, for a bounded time; between them, and however it ends, all are inactive.
package struct OutputTrial {
    /// One output.
    package struct Step: Hashable, Sendable {
        /// The key of the configuration that names its line.
        package let key: String
        /// What it is called, for people.
        package let name: String
        /// Its line, with its polarity.
        package let output: GPIOLines.Output
        /// How long it is active.
        package let time: Duration
        /// How often.
        package let times: Int
        /// Whether it moves the gate.
        package let isGate: Bool
    }

    /// The outputs of a configuration: lamps and sounder from top to bottom, the relay last.
    package static func steps(_ configuration: Configuration) -> [Step] {
        configuration.outputs.map { key, line, activeLow in
            let isGate = key.hasPrefix("gate")
            let word = key.split(separator: ".").last.map(String.init) ?? key
            return Step(
                key: key, name: isGate ? "the gate's relay" : word == "tone" ? "the sounder" : "the \(word) lamp",
                output: .init(line, activeLow: activeLow),
                time: isGate ? configuration.gate.pulse : .milliseconds(400), times: isGate ? 1 : 3, isGate: isGate)
        }
    }

    /// What somebody saw.
    package enum Answer: Sendable {
        /// What it should do, and nothing else.
        case right
        /// Something else, or nothing.
        case wrong
        /// Nobody says.
        case none
    }

    private let bank: any LineBank
    private let pause: (Duration) -> Void

    /// A trial of these lines, which it holds; `pause` waits.
    package init(_ bank: any LineBank, pause: @escaping (Duration) -> Void) { (self.bank, self.pause) = (bank, pause) }

    /// Takes the lines of all steps, inactive.
    package static func take(_ steps: [Step], chip: String) throws(GPIOError) -> GPIOLines {
        try GPIOLines(chip: chip, steps.map(\.output), consumer: "gatehouse-doctor")
    }

    /// Makes one output active as often as its step says. Reads back whether its line followed.
    package func play(_ step: Step) throws(GPIOError) {
        var failure: GPIOError?
        for number in 0..<step.times {
            if number > 0 { pause(step.time) }
            do throws(GPIOError) {
                try bank.set(active: [step.output.name])
            } catch { failure = error }
            pause(step.time)
            // Also behind a failure: it may have reached the line.
            do throws(GPIOError) {
                try bank.set(active: [])
            } catch { failure = error }
            if let failure { throw failure }
        }
        let still = try bank.active()
        guard still.isEmpty else { throw .active(still.sorted()) }
    }

    /// What a trial of one output says.
    package static func finding(_ step: Step, _ answer: Answer) -> Finding {
        let what = "\(step.name), \(step.output.name) (\(step.key))"
        return switch answer {
        case .right: .good(.output, what)
        case .wrong: Finding(.output, .boxOutputUnseen, what)
        case .none: .unknown(.output, "\(what): nobody said what happened", "Run it in a terminal, look on and answer.")
        }
    }

    /// The same where the line could not be set.
    package static func finding(_ step: Step, _ error: GPIOError) -> Finding {
        Finding(error, .output, "\(step.name), \(step.output.name) (\(step.key)): \(error)")
    }
}
