import Foundation

/// The questions of a setup, one after the other: which is next, what it proposes, and what comes of an answer. A value without terminal
/// or file: whoever drives it asks and looks at the files that answers name.
package struct SetupDialogue: Sendable {
    /// A question as it stands.
    package struct Prompt: Hashable, Sendable {
        /// What is asked.
        package let question: SetupQuestion
        /// Its words, on one line.
        package let words: String
        /// The answer where nothing is written; empty: "none"; nil: something has to be written.
        package let proposal: String?
    }

    /// What is answered so far, by whom ever.
    package private(set) var answers: SetupAnswers
    private let machine: SetupMachine
    private let places: SetupPlaces

    /// A dialogue about what these answers leave open.
    package init(_ answers: SetupAnswers, on machine: SetupMachine, at places: SetupPlaces) {
        (self.answers, self.machine, self.places) = (answers, machine, places)
    }

    /// The next question; nil: nothing is open any more.
    package var next: Prompt? {
        for question in SetupQuestion.allCases where answers[question] == nil && isOpen(question) {
            guard let words = question.words else { continue }
            return Prompt(question: question, words: words + choices(question), proposal: proposal(question))
        }
        return nil
    }

    /// Takes what was written for that question.
    ///
    /// - Parameters:
    ///   - text: What somebody wrote; blanks around it do not count, and nothing means the proposal.
    ///   - prompt: What was asked.
    ///   - inspect: Looks at what the answers lead to, once they are right as far as they go; what is wrong with that.
    /// - Returns: What is wrong with it, and then the question is still open; nil: it is taken.
    package mutating func answer(
        _ text: String, to prompt: Prompt, inspect: (SetupAnswers) -> SetupProblem? = { _ in nil }
    ) -> SetupProblem? {
        let question = prompt.question
        // What a terminal adds to letters: the end of a line, keys that write none.
        let letters = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        let written = String(String.UnicodeScalarView(letters)).trimmingCharacters(in: .whitespaces)
        guard var answer = written.isEmpty ? prompt.proposal : written else { return .missing(question) }
        // The word for "nothing", where that may be answered.
        if prompt.proposal?.isEmpty == true, answer.utf8.elementsEqual(Self.nothing.utf8) { answer = "" }
        var candidate = answers
        if question.isList {
            candidate[all: question] = answer.split(separator: " ").map(String.init)
        } else {
            candidate[question] = answer
        }
        if let problem = SetupPlan.problem(with: question, in: candidate, on: machine, at: places) { return problem }
        if let problem = inspect(candidate), problem.question == question { return problem }
        answers = candidate
        return nil
    }

    private static let nothing = "none"

    /// Whether the answer to a question still matters, by those before it.
    private func isOpen(_ question: SetupQuestion) -> Bool {
        let hasTrust = [SetupQuestion.trustBundle, .trustDirectory].contains { answers.text($0) != nil }
        return switch question {
        case .board: answers.text(.chip) == nil
        case .pulse: answers.text(.chip) != nil || answers.text(.board) != SetupQuestion.noBoard
        case .displaySize: (answers.text(.display).flatMap(DisplaySection.Kind.init)?.sizes.count ?? 0) > 1
        case .radio: machine.adapters.count > 1
        case .clock: !machine.hasClock
        case .timeServer: machine.hasChrony
        case .trustBundle: answers.text(.trustDirectory) == nil && answers.text(.issuer) == nil
        case .bundleKey: answers.text(.trustBundle) != nil
        case .trustDirectory: !hasTrust && answers.text(.issuer) == nil
        case .issuer: !hasTrust && answers.text(.bundleKey) == nil
        case .issuerType, .issuerDocument, .issuerRoot, .context: answers.text(.issuer) != nil
        default: true
        }
    }

    private func proposal(_ question: SetupQuestion) -> String? {
        switch question {
        case .name, .bundleKey, .issuerType: nil
        case .id: answers.text(.name)
        // Where none is seen somebody has to say so: a gate without lines opens nothing.
        case .board: machine.board
        case .pulse: machine.pinout.pulses.first?.use
        case .direction: GateSection.Direction.any.rawValue
        case .display: machine.hasScreen ? DisplaySection.Kind.framebuffer.rawValue : DisplaySection.Kind.file.rawValue
        case .displaySize: answers.text(.display).flatMap(DisplaySection.Kind.init)?.sizes.first?.text
        case .radio: machine.adapters.first
        case .clock: ClockSection.Source.rtc.rawValue
        default: ""
        }
    }

    /// What may be answered, where machine or pinout say so.
    private func choices(_ question: SetupQuestion) -> String {
        let list: [String] =
            switch question {
            case .board:
                machine.pinout.chips.map { "\($0.boards.joined(separator: " or ")) (\($0.model))" }
                    + ["\(SetupQuestion.noBoard) (no lines)"]
            case .pulse: machine.pinout.pulses.map { "\($0.use) (\($0.pulse))" }
            case .displaySize:
                (answers.text(.display).flatMap(DisplaySection.Kind.init)?.sizes ?? []).map(\.text)
            case .radio: machine.adapters
            default: []
            }
        return list.isEmpty ? "" : ": " + list.joined(separator: ", ")
    }
}
