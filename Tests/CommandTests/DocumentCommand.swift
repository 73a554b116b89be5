import Foundation

/// A command in a block of a document, without the prefix that chooses a user, and without redirections.
struct DocumentCommand: CustomStringConvertible {
    let document: String
    /// The line that contains the command; a line may have several.
    let line: String
    /// The text of the command.
    let text: String

    var description: String { "\(document): \(text)" }

    /// Returns the commands of a line.
    static func all(in line: String, of document: String) -> [DocumentCommand] {
        line.replacing(" | ", with: " && ").components(separatedBy: " && ").map { part in
            let words = part.replacing(/^sudo (-u [a-z]+ )?/, with: "").replacing(#/ > [^ ]+$/#, with: "")
            return DocumentCommand(document: document, line: line, text: words)
        }
    }

    /// The options, short or long, of the command and of a program to which it passes them (`make demo
    /// DEMO_ARGUMENTS="--json"`).
    var options: [String] {
        text.replacing(/\$\([^)]*\)/, with: "").matches(of: /(?:^|[\s"'])(--?[A-Za-z][A-Za-z0-9-]*)/).map {
            String($0.1)
        }
    }

    /// Returns the subcommand of `gatehouse`, word by word; empty for other programs.
    func path(in tree: CommandTree) -> [String] {
        let words = text.split(separator: " ").map(String.init)
        guard words.first == "gatehouse" else { return [] }
        return words.indices.dropFirst().map { Array(words[1...$0]) }.last { path in
            tree.all.contains { $0.path == path }
        } ?? []
    }
}

/// The texts of a file that may run a command. For Swift: one piece for each test, with the test's own string
/// literals and those outside of tests; for a script: the script.
struct TestTexts {
    private let pieces: [String]

    init(_ file: URL) throws {
        let text = try String(contentsOf: file, encoding: .utf8)
        let marks = file.pathExtension == "swift" ? ["///", "//"] : ["#"]
        let code = text.components(separatedBy: "\n").filter { line in
            !marks.contains { line.trimmingCharacters(in: .whitespaces).hasPrefix($0) }
        }.joined(separator: "\n")
        guard file.pathExtension == "swift" else {
            pieces = [code]
            return
        }
        var (tests, others): ([String], String) = ([], "")
        let starts = /\n    (?=@Test|private |static |init\()/
        for part in code.split(separator: starts) {
            let literals = part.matches(of: /"(?:[^"\\\n]|\\.)*"/).map { String($0.0) }.joined(separator: "\n")
            if part.hasPrefix("@Test") { tests.append(literals) } else { others += literals + "\n" }
        }
        pieces = tests.isEmpty ? [others] : tests.map { others + $0 }
    }

    /// Returns whether one piece contains all of these words, each whole, and all of these phrases.
    func has(words: [String], phrases: [String]) -> Bool {
        pieces.contains { piece in
            phrases.allSatisfy(piece.contains)
                && words.allSatisfy { word in
                    piece.ranges(of: word).contains { range in
                        let before =
                            range.lowerBound > piece.startIndex ? piece[piece.index(before: range.lowerBound)] : " "
                        let after = range.upperBound < piece.endIndex ? piece[range.upperBound] : " "
                        return ![before, after].contains { $0.isLetter || $0.isNumber || "-_./".contains($0) }
                    }
                }
        }
    }
}
