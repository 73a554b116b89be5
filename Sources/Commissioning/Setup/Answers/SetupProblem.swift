/// A problem of an answer of a setup, or of the file or data that the answer names.
package struct SetupProblem: Error, Hashable, Sendable {
    /// The question of the answer; nil for a problem of the setup as a whole.
    package let question: SetupQuestion?
    /// The line of the answer in the file of answers, from 1; nil if the answer is not from a file.
    package var line: Int?
    /// The fault in plain words. A message shows the question's name before this text.
    package let message: String
    /// The remedy, in plain words; nil if the remedy is to give an answer.
    package let remedy: String?

    init(_ question: SetupQuestion?, _ message: String, _ remedy: String?, line: Int? = nil) {
        (self.question, self.message, self.remedy, self.line) = (question, message, remedy, line)
    }

    static func missing(_ question: SetupQuestion) -> SetupProblem { SetupProblem(question, "is missing", nil) }
}

/// All problems of a setup, found in one pass. There is at least one.
package struct SetupProblems: Error, Hashable, Sendable {
    /// The problems in the order of the questions.
    package let problems: [SetupProblem]

    init(_ problems: [SetupProblem]) { self.problems = problems }

    init(_ problem: SetupProblem) { problems = [problem] }
}

/// The source of the answers, which decides how a message names an answer.
package enum SetupOrigin: Hashable, Sendable {
    /// The answers are on the command line.
    case options
    /// The answers are in a file. The value is the file's name for messages.
    case file(String)
    /// The person gives the answers in a terminal, one by one.
    case terminal

    /// Returns two lines: the problem, such as `--name is missing` or `gate.toml:3: name is missing`, and its remedy.
    package func text(_ problem: SetupProblem) -> (message: String, remedy: String) {
        let subject = problem.question.map { name($0) + " " } ?? ""
        var place = ""
        if case .file(let file) = self { place = file + (problem.line.map { ":\($0)" } ?? "") + ": " }
        let remedy = problem.remedy ?? problem.question.map(request) ?? "See gatehouse setup --help."
        return (place + subject + problem.message, remedy)
    }

    private func name(_ question: SetupQuestion) -> String {
        switch self {
        case .options: question.option
        case .file: question.rawValue
        case .terminal: "This"
        }
    }

    private func request(_ question: SetupQuestion) -> String {
        switch self {
        case .options: "Give \(question.option) \(question.example)"
        case .file: "Write: \(question.rawValue) = \"\(question.example)\""
        case .terminal: "Write for example \(question.example)."
        }
    }
}
