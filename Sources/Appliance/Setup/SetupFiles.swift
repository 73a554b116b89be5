import Encoding
import Foundation
import LinuxIO

/// The files that answers name, by absolute paths.
enum SetupFiles {
    /// What is in the file; throws what keeps it from being used, told of that question.
    static func read(_ path: String, for question: SetupQuestion, limit: Int) throws(SetupProblem) -> [UInt8] {
        if let obstacle = FileObstacle(path) {
            throw SetupProblem(
                question, "names a file that \(obstacle.text): \(path)", obstacle.remedy ?? "Check the path.")
        }
        guard let bytes = FileBytes.read(path, limit: limit + 1) else {
            throw SetupProblem(question, "names a file that cannot be read: \(path)", "Look at the disk (dmesg).")
        }
        guard bytes.count <= limit else {
            throw SetupProblem(question, "names a file that is too long: \(path)", "Give the document alone.")
        }
        return bytes
    }
}

extension SetupAnswers {
    /// The same answers with absolute paths, where they name files: those that are none start from `folder`.
    package func resolved(in folder: String) -> SetupAnswers {
        var answers = self
        for question in [SetupQuestion.trustBundle, .trustDirectory, .issuerDocument, .issuerRoot, .invitation] {
            guard let path = text(question), question != .invitation || !SetupInvitation.isText(path) else { continue }
            answers[question] = resolve(path, in: folder)
        }
        answers[all: .context] = self[all: .context].map { text in
            let context = SetupPlan.Context(text)
            return context.file.map { "\(context.url)=\(resolve($0, in: folder))" } ?? text
        }
        if self[.context] == nil { answers[.context] = nil }
        return answers
    }

    /// These answers, but for those that others give too.
    package func merged(with others: SetupAnswers) -> SetupAnswers {
        var answers = self
        for question in SetupQuestion.allCases where others[question] != nil {
            answers[all: question] = others[all: question]
        }
        answers.replaces = replaces || others.replaces
        return answers
    }

    /// The questions that are answered.
    package var questions: [SetupQuestion] { SetupQuestion.allCases.filter { self[$0] != nil } }
}
