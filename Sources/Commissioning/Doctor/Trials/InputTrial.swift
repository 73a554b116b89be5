package import Encoding
package import Kiosk
package import LinuxIO
import Reasons
package import Settings

/// Tests one input of a gate while a person triggers it.
///
/// The trial is a value without a clock: its caller passes edges and times, and reads the finding. At the beginning the
/// input must be inactive. Then it must become active once, and inactive again, each within ``limit``.
package struct InputTrial: Sendable {
    /// One input to be tested.
    package struct Step: Sendable {
        /// The event that the input reports.
        package let use: DoorInput
        /// The input's line, with polarity and bias.
        package let line: InputLine

        /// The instruction to the person.
        package var task: String {
            switch use {
            case .passage: "pass once, or turn the turnstile as a person who passes does"
            case .request: "press the button inside, and let it go"
            case .contact: "open the door, and shut it"
            case .tamper: "open the lid, and close it"
            case .fire: "make the fire panel report a fire, then reset it"
            }
        }
        /// The input's name and line, for people.
        package var name: String { "\(use.rawValue), \(line.name)" }
        /// Returns the level of the line, "high" or "low", for an active or an inactive input.
        package func level(_ isActive: Bool) -> String { isActive != line.activeLow ? "high" : "low" }
    }

    /// The time in which the person has to make the input active, and then the time in which it has to become inactive.
    package static let limit: Duration = .seconds(30)
    /// How long the input must stay inactive after it was active. A light barrier that detects one person twice, or a
    /// noisy wire, becomes active again within this time.
    package static let calm: Duration = .seconds(1)
    /// How long after the request of the lines their levels may still change because a bias was just switched on.
    package static let settling = Door.settling

    /// Returns the inputs that a configuration names, in the order of the configuration.
    package static func steps(_ configuration: Configuration) -> [Step] {
        configuration.door.inputs.map { Step(use: $0.use, line: $0.inputLine) }
    }

    private let steps: [Step]
    private let index: Int
    /// The number of times that the input became active during the trial.
    private var times = 0
    /// When the input will have been inactive again for ``calm``; nil while the input is active, and before it was
    /// active for the first time.
    private var calmAt: Instant?
    /// The indices of the other inputs that became active during this trial.
    private var others: [Int] = []
    /// The deadline after which the trial ends without success.
    private var end: Instant
    /// The finding; nil until the trial ends.
    package private(set) var finding: Finding?

    /// Begins the trial of the input at `index`, while the inputs in `active` are active.
    package init(_ steps: [Step], at index: Int, active: Set<Int>, at now: Instant) {
        (self.steps, self.index) = (steps, index)
        end = now.advanced(by: Self.limit)
        if active.contains(index) { finding = Self.resting(step) }
    }

    private var step: Step { steps[index] }

    /// The next instant at which the state changes without an edge.
    package var deadline: Instant { calmAt.map { min($0, end) } ?? end }

    /// Handles edges of lines. The index of an edge is the index of the step whose input changed.
    package mutating func handle(_ edges: [InputEdge], at now: Instant) {
        for edge in edges where finding == nil {
            if edge.index != index {
                let isNew = edge.isActive && steps.indices.contains(edge.index) && !others.contains(edge.index)
                if isNew { others.append(edge.index) }
            } else if edge.isActive {
                if times == 0 { end = now.advanced(by: Self.limit) }
                times += 1
                calmAt = nil
            } else if times > 0 {
                calmAt = now.advanced(by: Self.calm)
            }
        }
        advance(to: now)
    }

    /// Advances the time to `now`. Ends the trial if its deadline has passed.
    package mutating func advance(to now: Instant) {
        if finding == nil, now >= deadline { judge() }
    }

    /// Ends the trial early, because the person skips the input or does not wait until ``calm`` has passed.
    package mutating func skip() {
        guard finding == nil else { return }
        if calmAt != nil { return judge() }
        finding = Self.untried(step, isActive: times > 0 ? true : nil)
    }

    private mutating func judge() {
        if times > 1 {
            finding = Finding(.input, .doorInput, "\(step.name): it became active \(times) times instead of once")
        } else if calmAt != nil {
            finding = .good(.input, "\(step.name): \(step.level(false)) at rest, \(step.level(true)) when active")
        } else {
            let moved = others.map { steps[$0].name }.joined(separator: "; ")
            let instead = moved.isEmpty || times > 0 ? "" : ", and this one changed instead: \(moved)"
            let isActive = times > 0
            let found = "it stayed \(isActive ? "active" : "at rest") (\(step.level(isActive)))"
            finding = Finding(.input, .boxInputUnseen, "\(step.name): \(found)\(instead)")
        }
    }

    /// Ends the trial because the lines can no longer be read.
    package mutating func fail(_ error: GPIOError) { finding = Self.finding(step, error) }

    // MARK: - Findings about untried inputs

    /// Returns the finding about an input that was not tested. `isActive`: whether it was active; nil if its level was
    /// not read.
    package static func untried(_ step: Step, isActive: Bool?) -> Finding {
        // An active input is only a warning here: the door may be open.
        if isActive == true { return resting(step, state: .warning) }
        let level = isActive.map { "\(step.level($0)) at rest, " } ?? ""
        return .unknown(.input, "\(step.name): \(level)not tried", "Run it in a terminal: it asks you to \(step.task).")
    }

    private static func resting(_ step: Step, state: Finding.State? = nil) -> Finding {
        Finding(
            .input, .boxInputActive, "\(step.name): its line is \(step.level(true)), which is its active level",
            state: state)
    }

    /// Returns the finding about an input whose line could not be read.
    package static func finding(_ step: Step, _ error: GPIOError) -> Finding {
        Finding(error, .input, "\(step.name): \(error)")
    }
}
