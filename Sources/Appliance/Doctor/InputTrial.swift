import Credentials
package import Encoding
package import Kiosk
package import LinuxIO

/// Watches one input of a gate while somebody makes it say what it is for.
///
/// A value without a clock: it is told edges and times, and says what was found. First the input is at rest; then it has to become active
/// once, and to be at rest again, each within ``limit``.
package struct InputTrial: Sendable {
    /// One input.
    package struct Step: Sendable {
        /// What it tells.
        package let use: DoorInput
        /// Its line, with polarity and bias.
        package let line: InputLine

        /// What somebody is to do, for people.
        package var task: String {
            switch use {
            case .passage: "pass once, or move the turnstile as somebody who passes does"
            case .request: "press the button inside, and let it go"
            case .contact: "open the door, and shut it"
            case .tamper: "open the lid, and close it"
            case .fire: "have the fire panel report a fire, and take that back"
            }
        }
        /// Its name and line, for people.
        package var name: String { "\(use.rawValue), \(line.name)" }
        /// What the line is while the input is active, or not.
        package func level(_ isActive: Bool) -> String { isActive != line.activeLow ? "high" : "low" }
    }

    /// How long somebody has to make it active, and again to end that.
    package static let limit: Duration = .seconds(30)
    /// How long it has to be at rest again: a light barrier that sees one person twice, and a wire that hums, come back before.
    package static let calm: Duration = .seconds(1)
    /// What changes so soon after the lines were taken was so before: a bias was just switched on.
    package static let settling = Door.settling

    /// The inputs of a configuration, in its order.
    package static func steps(_ configuration: Configuration) -> [Step] {
        configuration.door.inputs.map { Step(use: $0.use, line: $0.inputLine) }
    }

    private let steps: [Step]
    private let index: Int
    /// How often it became active.
    private var times = 0
    /// When it has been at rest again for ``calm``; nil: it is active, or was not yet.
    private var calmAt: Instant?
    /// The others that became active meanwhile.
    private var others: [Int] = []
    /// When it is given up, if nothing else comes.
    private var end: Instant
    /// What was found; nil: it goes on.
    package private(set) var finding: Finding?

    /// Begins with the input at `index`, while those in `active` are active.
    package init(_ steps: [Step], at index: Int, active: Set<Int>, at now: Instant) {
        (self.steps, self.index) = (steps, index)
        end = now.advanced(by: Self.limit)
        if active.contains(index) { finding = Self.resting(step) }
    }

    private var step: Step { steps[index] }

    /// When time alone changes something.
    package var deadline: Instant { calmAt.map { min($0, end) } ?? end }

    /// Lines have changed. The place of each is that of its step.
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

    /// Time has moved on to `now`.
    package mutating func advance(to now: Instant) {
        if finding == nil, now >= deadline { judge() }
    }

    /// Nobody does it, or wants to wait any longer.
    package mutating func skip() {
        guard finding == nil else { return }
        if calmAt != nil { return judge() }
        finding = Self.untried(step, isActive: times > 0 ? true : nil)
    }

    private mutating func judge() {
        if times > 1 {
            finding = Finding(.input, .doorInput, "\(step.name): it became active \(times) times for once")
        } else if calmAt != nil {
            finding = .good(.input, "\(step.name): \(step.level(false)) at rest, \(step.level(true)) when active")
        } else {
            let moved = others.map { steps[$0].name }.joined(separator: "; ")
            let instead = moved.isEmpty || times > 0 ? "" : ", and this moved in its place: \(moved)"
            let isActive = times > 0
            let found = "it stayed \(isActive ? "active" : "at rest") (\(step.level(isActive)))"
            finding = Finding(.input, .boxInputUnseen, "\(step.name): \(found)\(instead)")
        }
    }

    /// The lines cannot be had any more.
    package mutating func fail(_ error: GPIOError) { finding = Self.finding(step, error) }

    // MARK: - What is said without a trial

    /// An input that nobody has tried; `isActive`: what its level says, nil where that was not read.
    package static func untried(_ step: Step, isActive: Bool?) -> Finding {
        // Nobody says that the door is shut: it may be open.
        if isActive == true { return resting(step, state: .warning) }
        let level = isActive.map { "\(step.level($0)) at rest, " } ?? ""
        return .unknown(.input, "\(step.name): \(level)not tried", "Run it in a terminal: it asks you to \(step.task).")
    }

    private static func resting(_ step: Step, state: Finding.State? = nil) -> Finding {
        Finding(
            .input, .boxInputActive, "\(step.name): its line is \(step.level(true)), which is its active level",
            state: state)
    }

    /// The same where lines could not be read.
    package static func finding(_ step: Step, _ error: GPIOError) -> Finding {
        Finding(error, .input, "\(step.name): \(error)")
    }
}
