import Encoding
import Foundation
import LinuxIO
import Settings

/// Reads the files that the answers of a setup name by absolute paths.
enum SetupFiles {
    /// Returns the content of the file at `path`. Throws a problem of `question` if the file cannot be used or has more
    /// than `limit` bytes.
    static func read(_ path: String, for question: SetupQuestion, limit: Int) throws(SetupProblem) -> [UInt8] {
        let name = told(path, of: question)
        if let obstacle = FileObstacle(path) {
            throw SetupProblem(
                question, "names a file that \(obstacle.text)\(name)", obstacle.remedy ?? "Check the path.")
        }
        guard let bytes = FileBytes.read(path, limit: limit + 1) else {
            throw SetupProblem(question, "names a file that cannot be read\(name)", "Check the disk (dmesg).")
        }
        guard bytes.count <= limit else {
            throw SetupProblem(
                question, "names a file that is too long\(name)",
                "Give a file that contains only the "
                    + "document.")
        }
        return bytes
    }

    /// Returns the end of a message with the part of the path that may be printed. What was meant as an invitation may
    /// be a secret that works once, and other people read journals and the boot partition.
    private static func told(_ path: String, of question: SetupQuestion) -> String {
        guard question == .invitation else { return ": \(path)" }
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        return name.isName(of: 1...64, "._-") ? ": \(name)" : ""
    }
}

extension SetupAnswers {
    /// Returns the same answers with absolute paths to files. Relative paths are relative to `folder`.
    package func resolved(in folder: String) -> SetupAnswers {
        var answers = self
        for question in [SetupQuestion.trustBundle, .trustDirectory, .issuerDocument, .issuerRoot, .invitation] {
            guard let path = text(question), question != .invitation || !WrittenInvitation.isText(path) else {
                continue
            }
            answers[question] = resolve(path, in: folder)
        }
        answers[all: .context] = self[all: .context].map { text in
            let context = SetupPlan.Context(text)
            return context.file.map { "\(context.url)=\(resolve($0, in: folder))" } ?? text
        }
        if self[.context] == nil { answers[.context] = nil }
        return answers
    }

    /// Returns a copy of these answers in which each answer in `others` replaces the answer to the same question.
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
