package import Features
import Kiosk
package import LinuxIO
import Reasons
package import Settings

/// Makes the outputs of a gate active one after another, so that a person at the gate can check each effect. Only one
/// output is active at a time, for a limited time. Between two outputs, and at every end of the trial, all outputs are
/// inactive.
package struct OutputTrial {
    /// One output to be tested.
    package struct Step: Sendable {
        /// The configuration key that names the output's line.
        package let key: String
        /// The output's name, for people.
        package let name: String
        /// The output's line, with its polarity.
        package let output: GPIOLines.Output
        /// How long the output is active each time.
        package let time: Duration
        /// How many times the output is made active.
        package let times: Int
        /// Whether the output moves the gate.
        package let isGate: Bool
        /// The trial of a feature, whose first line is ``output``; nil for an output of the gate itself.
        package var trial: FeatureTrial?

        /// All lines of the output: one, or those of the feature.
        package var outputs: [GPIOLines.Output] { trial?.lines ?? [output] }
        /// The names of all lines of the output, as one text.
        package var lines: String { outputs.map(\.name).joined(separator: " and ") }
        /// The effect that the person should see, in words.
        package var task: String {
            trial?.task ?? (times == 1 ? "one pulse of \(time)" : "\(times) times")
        }
    }

    /// Returns the outputs that a configuration names: first lamps and sounder, then the outputs of features, then the
    /// outputs that move the gate.
    package static func steps(_ configuration: Configuration) -> [Step] {
        let steps = OutputRole.allCases.filter { $0.kind != .wire }.compactMap { role -> Step? in
            guard let line = configuration.outputs[role] else { return nil }
            return Step(
                key: role.key, name: role.title, output: .init(line.name, activeLow: line.activeLow),
                time: role.holdsOpen ? configuration.gate.pulse : .milliseconds(400), times: role.holdsOpen ? 1 : 3,
                isGate: role.holdsOpen)
        }
        return steps.filter { !$0.isGate } + FeatureList.all.compactMap { $0.trial(configuration) }.compactMap(step)
            + steps.filter(\.isGate)
    }

    /// Returns the step for a feature's trial; nil if the trial has no lines. The outputs of a feature count as outputs
    /// that move the gate.
    private static func step(_ trial: FeatureTrial) -> Step? {
        guard let first = trial.lines.first else { return nil }
        return Step(
            key: trial.key, name: trial.name, output: first, time: trial.pulse, times: 1, isGate: true, trial: trial)
    }

    /// The answer of the person who watches the output.
    package enum Answer: Sendable {
        /// This output had its effect, and no other had.
        case right
        /// Another output had an effect, or none.
        case wrong
        /// No person has answered.
        case none
    }

    private let bank: any LineBank
    private let pause: (Duration) -> Void

    /// Creates a trial of the lines of `bank`. `pause` waits for a duration.
    package init(_ bank: any LineBank, pause: @escaping (Duration) -> Void) { (self.bank, self.pause) = (bank, pause) }

    /// Requests the lines of all steps from the kernel, as inactive outputs.
    package static func take(_ steps: [Step], chip: String) throws(GPIOError) -> GPIOLines {
        try GPIOLines(chip: chip, steps.flatMap(\.outputs), consumer: "gatehouse-doctor")
    }

    /// Makes one output active as often as its step says. Throws if a line cannot be set, or is still active at the
    /// end.
    package func play(_ step: Step) throws(GPIOError) {
        if let trial = step.trial {
            for line in trial.pulses {
                try pulse(trial.lines[line].name, trial.pulse)
                pause(trial.interval - trial.pulse)
            }
        } else {
            for number in 0..<step.times {
                if number > 0 { pause(step.time) }
                try pulse(step.output.name, step.time)
            }
        }
        let still = try bank.active()
        guard still.isEmpty else { throw .active(still.sorted()) }
    }

    private func pulse(_ line: String, _ time: Duration) throws(GPIOError) {
        var failure: GPIOError?
        do throws(GPIOError) {
            try bank.set(active: [line])
        } catch { failure = error }
        pause(time)
        // Set the line inactive even after a failure: the line may be active although the call failed.
        do throws(GPIOError) {
            try bank.set(active: [])
        } catch { failure = error }
        if let failure { throw failure }
    }

    /// Returns the finding about one output with the person's answer.
    package static func finding(_ step: Step, _ answer: Answer) -> Finding {
        let what = "\(step.name), \(step.lines) (\(step.key))"
        return switch answer {
        case .right: .good(.output, what)
        case .wrong: Finding(.output, .boxOutputUnseen, what)
        case .none:
            .unknown(
                .output, "\(what): the effect was not confirmed",
                "Run it in a terminal, watch and "
                    + "answer.")
        }
    }

    /// Returns the finding about an output whose line could not be set.
    package static func finding(_ step: Step, _ error: GPIOError) -> Finding {
        Finding(error, .output, "\(step.name), \(step.lines) (\(step.key)): \(error)")
    }
}
