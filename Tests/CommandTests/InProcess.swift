import ArgumentParser
import Console

@testable import Workshop
@testable import gatehouse

extension Ending {
    /// Returns how the program ends with these words, without a process: with help, with a usage error, or
    /// with the text that the command makes. Lines are 80 columns wide, as in a file.
    static func inProcess(_ words: String...) -> Ending { inProcess(words) }

    /// Does the same for a list of words.
    static func inProcess(_ words: [String]) -> Ending { inProcess(words, of: Gatehouse.self) }

    /// Does the same for the program of the repository's tools.
    static func inWorkshop(_ words: String...) -> Ending { inProcess(words, of: WorkshopProgram.self) }

    /// Does the same for the program `root`.
    static func inProcess(_ words: [String], of root: any ParsableCommand.Type) -> Ending {
        do {
            var command = try CommandStart.command(of: words, in: root)
            // The parser's own command is help, which throws its text.
            if String(reflecting: type(of: command)).hasPrefix("ArgumentParser.") { try command.run() }
            guard let page = command as? any PageCommand else {
                throw ProgramFailure(description: "\(words): takes a process")
            }
            return Ending(code: 0, output: Terminal.unstyled(try page.text(columns: 80)), errors: "")
        } catch {
            let last = FinalOutput(for: error, of: root, columns: 80)
            return Ending(code: last.code, output: last.output, errors: last.errors)
        }
    }

    /// Returns whether both have the same exit code, output and errors.
    func isSame(as other: Ending) -> Bool {
        code == other.code && output == other.output && errors == other.errors
    }
}
