package import Encoding
package import Kiosk
package import LinuxIO
import Reasons
package import Settings

/// Watches one input of a gate while a person triggers it.
///
/// It is a value without a clock: it takes edges and times, and gives a finding. At the beginning the input
/// must be inactive. Then it must become active once, and inactive again, each within ``limit``.
package struct InputTrial: Sendable {
    /// One input to be tried.
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
        /// Returns the level of the line while the input is active or inactive.
        package func level(_ isActive: Bool) -> String { isActive != line.activeLow ? "high" : "low" }
    }

    /// The time that the person has to make the input active, and again to make it inactive.
    package static let limit: Duration = .seconds(30)
    /// How long the input must stay inactive again. A light barrier that sees one person twice, and a noisy
    /// wire, become active again sooner.
    package static let calm: Duration = .seconds(1)
    /// A change so soon after the lines were taken shows an older state: a bias was just switched on.
    package static let settling = Door.settling

    /// Returns the inputs of a configuration, in its order.
    package static func steps(_ configuration: Configuration) -> [Step] {
        configuration.door.inputs.map { Step(use: $0.use, line: $0.inputLine) }
    }

    private let steps: [Step]
    private let index: Int
    /// The number of times that the input became active.
    private var times = 0
    /// When the input will have been inactive again for ``calm``; nil while it is active, and before it first
    /// was.
    private var calmAt: Instant?
    /// The indices of other inputs that became active during this step.
    private var others: [Int] = []
    /// The deadline after which the trial is given up.
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

    /// The next time at which the state changes without an edge.
    package var deadline: Instant { calmAt.map { min($0, end) } ?? end }

    /// Handles edges of lines. The index of an edge is that of the step whose input changed.
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

    /// Advances the time to `now`.
    package mutating func advance(to now: Instant) {
        if finding == nil, now >= deadline { judge() }
    }

    /// Ends the trial early, because the person skips the input or does not want to wait.
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

    /// Ends the trial because the lines are lost.
    package mutating func fail(_ error: GPIOError) { finding = Self.finding(step, error) }

    // MARK: - Findings about untried inputs

    /// Returns the finding about an input that was not tried; `isActive`: its level, nil if it was not read.
    package static func untried(_ step: Step, isActive: Bool?) -> Finding {
        // Report only a warning: the door may be open.
        if isActive == true { return resting(step, state: .warning) }
        let level = isActive.map { "\(step.level($0)) at rest, " } ?? ""
        return .unknown(.input, "\(step.name): \(level)not tried", "Run it in a terminal: it asks you to \(step.task).")
    }

    private static func resting(_ step: Step, state: Finding.State? = nil) -> Finding {
        Finding(
            .input, .boxInputActive, "\(step.name): its line is \(step.level(true)), which is its active level",
            state: state)
    }

    /// Returns the finding about an input whose lines could not be read.
    package static func finding(_ step: Step, _ error: GPIOError) -> Finding {
        Finding(error, .input, "\(step.name): \(error)")
    }
}
