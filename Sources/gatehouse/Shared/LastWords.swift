import ArgumentParser
import Foundation

/// The output and the exit code of a program whose command ends by throwing.
struct LastWords {
    /// The texts for standard output and for standard error.
    private(set) var (output, errors) = ("", "")
    let code: Int32

    /// Creates the output for an error. Help is `columns` wide; nil: as wide as the terminal.
    init(for error: any Error, columns: Int? = nil) {
        switch error {
        case let ending as ExitCode: code = ending.rawValue
        case let failure as CommandFailure:
            code = failure.exitCode
            errors = Terminal.text(of: failure.message, remedy: failure.remedy)
        default:
            let text = Gatehouse.fullMessage(for: error, columns: columns) + "\n"
            let isHelp = Gatehouse.exitCode(for: error) == .success
            // ArgumentParser ends a wrong call with 64; this program uses 2 for every kind of usage error.
            code = isHelp ? 0 : 2
            if isHelp { output = text } else { errors = text }
        }
    }

    /// Writes the texts and ends the program.
    func end() -> Never {
        if !output.isEmpty { Terminal.write(output) }
        Terminal.complain(errors)
        Foundation.exit(code)
    }
}
