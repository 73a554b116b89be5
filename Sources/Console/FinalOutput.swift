package import ArgumentParser
import Foundation

/// The output and the exit code of a program whose command throws.
package struct FinalOutput {
    /// The text for standard output.
    package private(set) var output = ""
    /// The text for standard error.
    package private(set) var errors = ""
    /// The exit code of the program.
    package let code: Int32

    /// Creates the output for an error of the program `root`. `columns` is the width of help texts; nil: the width of
    /// the terminal.
    package init(for error: any Error, of root: any ParsableCommand.Type, columns: Int? = nil) {
        switch error {
        case let ending as ExitCode: code = ending.rawValue
        case let failure as CommandFailure:
            code = failure.exitCode
            errors = Terminal.text(of: failure.message, remedy: failure.remedy)
        default:
            let text = root.fullMessage(for: error, columns: columns) + "\n"
            let isHelp = root.exitCode(for: error) == .success
            // ArgumentParser uses exit code 64 for wrong arguments. This program uses 2 for every usage error.
            code = isHelp ? 0 : 2
            if isHelp { output = text } else { errors = text }
        }
    }

    /// Writes both texts and ends the program.
    func end() -> Never {
        if !output.isEmpty { Terminal.write(output) }
        Terminal.complain(errors)
        Foundation.exit(code)
    }
}
