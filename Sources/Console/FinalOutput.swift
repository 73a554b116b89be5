package import ArgumentParser
import Foundation

/// The output and the exit code of a program whose command ends by throwing.
package struct FinalOutput {
    /// The text for standard output.
    package private(set) var output = ""
    /// The text for standard error.
    package private(set) var errors = ""
    /// The exit code.
    package let code: Int32

    /// Creates the output for an error of a command of the program `root`. Help is `columns` wide; nil: as wide
    /// as the terminal.
    package init(for error: any Error, of root: any ParsableCommand.Type, columns: Int? = nil) {
        switch error {
        case let ending as ExitCode: code = ending.rawValue
        case let failure as CommandFailure:
            code = failure.exitCode
            errors = Terminal.text(of: failure.message, remedy: failure.remedy)
        default:
            let text = root.fullMessage(for: error, columns: columns) + "\n"
            let isHelp = root.exitCode(for: error) == .success
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
