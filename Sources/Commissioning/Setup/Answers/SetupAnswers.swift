import Encoding

/// The answers to the questions of a setup, as a person wrote them. They are not checked yet.
package struct SetupAnswers: Hashable, Sendable {
    /// The largest size of a file of answers, in bytes. The file may contain an invitation.
    package static let largestFile = 128 * 1024

    private var texts: [SetupQuestion: [String]] = [:]
    /// The line numbers of the answers in their file, by question. Empty if no file was read.
    private var lines: [SetupQuestion: Int] = [:]
    /// Whether an existing configuration may be replaced.
    package var replaces = false

    /// Creates an empty set of answers.
    package init() {}

    /// The answer to a question: empty if the answer was "none", nil if the question is open. If there are several
    /// answers, this is the first.
    package subscript(question: SetupQuestion) -> String? {
        get { texts[question].map { $0.first ?? "" } }
        set { texts[question] = newValue.map { $0.isEmpty ? [] : [$0] } }
    }

    /// All answers to a question that permits several; empty if the question is open.
    package subscript(all question: SetupQuestion) -> [String] {
        get { texts[question] ?? [] }
        set { texts[question] = newValue }
    }

    /// Returns the answer to a question; nil if the question is open or the answer is empty.
    func text(_ question: SetupQuestion) -> String? { texts[question]?.first }

    /// Returns the number of the line with the answer to a question, from 1; nil if the answer is not from a file.
    func line(of question: SetupQuestion) -> Int? { lines[question] }

    /// Reads a TOML file of answers. Its keys are the names of the questions, and `replace`. Throws all problems of the
    /// file.
    package init(file bytes: [UInt8]) throws(SetupProblems) {
        guard bytes.count <= Self.largestFile else {
            throw SetupProblems(
                SetupProblem(nil, "is too long", "A setup file has at most \(Self.largestFile / 1024) KiB."))
        }
        let table: TOMLTable
        do {
            table = try TOML.parse(bytes)
        } catch {
            throw SetupProblems(
                SetupProblem(
                    nil, "is not TOML: \(error.message)", "Write texts in quotes and each key on its own line.",
                    line: error.line))
        }
        var problems: [SetupProblem] = []
        for entry in table.entries {
            if entry.name == Self.replace {
                replaces = entry.value.boolean ?? false
                if entry.value.boolean == nil {
                    problems.append(
                        SetupProblem(nil, "replace is not true or false", "Write true or false.", line: entry.line))
                }
            } else if let question = SetupQuestion.allCases.first(where: { Text($0.rawValue) == entry.name }) {
                lines[question] = entry.line
                guard let answers = Self.answers(to: question, entry.value) else {
                    let wanted =
                        question.isFlag ? "true or false" : question.isList ? "a list of texts" : "a text in quotes"
                    problems.append(
                        SetupProblem(question, "is \(entry.value.kind)", "Write \(wanted).", line: entry.line))
                    continue
                }
                texts[question] = answers
            } else {
                problems.append(Self.unknown(entry))
            }
        }
        guard problems.isEmpty else { throw SetupProblems(problems) }
    }

    private static let replace: Text = "replace"

    private static func answers(to question: SetupQuestion, _ value: TOML) -> [String]? {
        if question.isFlag { return value.boolean.map { $0 ? ["true"] : [] } }
        if question.isList, let list = value.array {
            let texts = list.compactMap { $0.string?.string }
            return texts.count == list.count ? texts : nil
        }
        return value.string.map { $0.isEmpty ? [] : [$0.string] }
    }

    private static func unknown(_ entry: TOMLTable.Entry) -> SetupProblem {
        let known = SetupQuestion.allCases.map(\.rawValue) + [replace.string]
        let word = String(entry.name.string.prefix(60))
        let nearest = known.min { $0.spellingDistance(to: word) < $1.spellingDistance(to: word) }
        // Propose the nearest key only if at most half of its letters differ. Otherwise the writer probably meant
        // something else.
        let meant = nearest.flatMap { $0.spellingDistance(to: word) <= word.utf8.count / 2 ? $0 : nil }
        let remedy = meant.map { "Did you mean \($0)?" }
        return SetupProblem(
            nil, "\(word) is not a known key", remedy ?? "Known are \(known.joined(separator: ", ")).", line: entry.line
        )
    }
}
