import Commissioning
import Console
import Glibc

/// Asks the questions of a setup in a terminal. Prints plain lines only, because the terminal may be connected by a
/// serial line. Checks each answer at once.
struct SetupScreen {
    /// Whether standard input and output are a terminal, so that a person can answer.
    static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Asks until every question has an answer. `inspect` checks the files and data that an answer names.
    static func ask(
        _ dialogue: inout SetupDialogue, inspect: (SetupQuestion, SetupAnswers) -> SetupProblem?
    ) throws {
        Terminal.line("Enter accepts the value in brackets. Nothing is written before the end; ^C changes nothing.")
        while let prompt = dialogue.next {
            Terminal.line()
            for line in Terminal.folded(Terminal.printable(prompt.words), hanging: 2) { Terminal.line(line) }
            repeat {
                let proposal = prompt.proposal.map { $0.isEmpty ? " [none]" : " [\(Terminal.printable($0))]" } ?? ""
                Terminal.write(Terminal.styled("\(prompt.question.rawValue)\(proposal): ", .bold))
                let problem = dialogue.answer(try line(), to: prompt) { inspect(prompt.question, $0) }
                guard let problem else { break }
                let (message, remedy) = SetupOrigin.terminal.text(problem)
                let text = Terminal.printable("\(message). \(remedy)")
                for line in Terminal.folded("  " + text, hanging: 2) { Terminal.line(line) }
            } while true
        }
    }

    /// Prints the configuration that will be written. Returns whether the person permits it.
    static func confirms(_ plan: SetupPlan, _ file: String) throws -> Bool {
        Terminal.line()
        Terminal.line(Terminal.styled("\(Terminal.printable(file)):", .bold))
        let text = String(decoding: plan.configuration, as: UTF8.self)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            Terminal.line(line.isEmpty ? "" : "  " + Terminal.printable(String(line)))
        }
        Terminal.line()
        while true {
            Terminal.write(Terminal.styled("Write it, with the trust data and the invitation? [Y/n]: ", .bold))
            switch try line().trimmingPrefix(while: \.isWhitespace).lowercased().first {
            case nil, "y": return true
            case "n": return false
            default: continue
            }
        }
    }

    private static func line() throws -> String {
        guard let line = readLine() else {
            Terminal.line()
            throw CommandFailure(
                "the terminal was closed before all questions were answered; nothing was written",
                remedy: "begin again: gatehouse setup")
        }
        return line
    }
}
