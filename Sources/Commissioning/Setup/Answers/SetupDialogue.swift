import Encoding
import Foundation
package import Settings

/// Asks the questions of a setup one after another: it returns the next question with a proposed answer, and checks the
/// person's answer. It is a value without a terminal and without files. Its caller prints the questions and checks the
/// files that answers name.
package struct SetupDialogue: Sendable {
    /// A question with its text and its proposed answer.
    package struct Prompt: Hashable, Sendable {
        /// The question to be answered.
        package let question: SetupQuestion
        /// The text of the question, on one line.
        package let words: String
        /// The answer that applies if the person writes nothing. An empty proposal means "none"; nil means that the
        /// person has to write an answer.
        package let proposal: String?
    }

    /// All answers so far: those given at the beginning, and those of this dialogue.
    package private(set) var answers: SetupAnswers
    private let machine: SetupMachine
    private let places: SetupPlaces

    /// Creates a dialogue about the questions that `answers` leave open.
    package init(_ answers: SetupAnswers, on machine: SetupMachine, at places: SetupPlaces) {
        (self.answers, self.machine, self.places) = (answers, machine, places)
    }

    /// The next question; nil if no question is open.
    package var next: Prompt? {
        for question in SetupQuestion.allCases where answers[question] == nil && isOpen(question) {
            guard let words = question.words else { continue }
            return Prompt(question: question, words: words + choices(question), proposal: proposal(question))
        }
        return nil
    }

    /// Checks and stores what the person wrote as the answer to the question of `prompt`.
    ///
    /// - Parameters:
    ///   - text: The text that the person wrote; blanks around it are ignored, and an empty text means the
    ///     proposal.
    ///   - prompt: The question that was asked.
    ///   - inspect: Checks the files and data to which the answers lead, once the answers themselves are
    ///     valid; returns a problem or nil.
    /// - Returns: A problem of the answer, in which case the question stays open; nil if the answer was
    ///   taken.
    package mutating func answer(
        _ text: String, to prompt: Prompt, inspect: (SetupAnswers) -> SetupProblem? = { _ in nil }
    ) -> SetupProblem? {
        let question = prompt.question
        // Remove control characters, which a terminal adds at the end of the line and for keys that write no letter.
        let letters = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        let written = String(String.UnicodeScalarView(letters)).trimmingCharacters(in: .whitespaces)
        guard var answer = written.isEmpty ? prompt.proposal : written else { return .missing(question) }
        // The word "none" is the empty answer, if the proposed answer is empty.
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

    /// The sizes of the chosen kind of display, as texts; empty if it has no choice of sizes or the kind is unknown.
    private var sizes: [String] { SetupDisplay(answers).sizes ?? [] }

    /// Returns whether a question must be asked: whether its answer matters, given the other answers and the machine.
    private func isOpen(_ question: SetupQuestion) -> Bool {
        let hasTrust = [SetupQuestion.trustBundle, .trustDirectory].contains { answers.text($0) != nil }
        return switch question {
        case .board: answers.text(.chip) == nil
        case .pulse: answers.text(.chip) != nil || answers.text(.board) != SetupQuestion.noBoard
        case .displaySize: sizes.count > 1
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
        // Propose no board if none was detected: the person has to name one, because a gate without lines cannot open.
        case .board: machine.board
        case .pulse: machine.pinout.pulses.first?.use
        case .direction: GateSection.anyDirection
        case .display: SetupDisplay.proposal(hasScreen: machine.hasScreen)
        case .displaySize: sizes.first
        case .radio: machine.adapters.first
        case .clock: WallTime.Provenance.rtc.rawValue
        default: ""
        }
    }

    /// Returns the possible answers as an addition to the question; empty if any answer is possible.
    private func choices(_ question: SetupQuestion) -> String {
        let list: [String] =
            switch question {
            case .board:
                machine.pinout.chips.map { "\($0.boards.joined(separator: " or ")) (\($0.model))" }
                    + ["\(SetupQuestion.noBoard) (no lines)"]
            case .pulse: machine.pinout.pulses.map { "\($0.use) (\($0.pulse))" }
            case .displaySize: sizes
            case .radio: machine.adapters
            default: []
            }
        return list.isEmpty ? "" : ": " + list.joined(separator: ", ")
    }
}
