import ArgumentParser
import Foundation

/// What the program says where a command ends by throwing, and its exit code.
struct LastWords {
    /// For standard output, and for standard error.
    private(set) var (output, errors) = ("", "")
    let code: Int32

    /// Help is `columns` wide; nil: as wide as the terminal.
    init(for error: any Error, columns: Int? = nil) {
        switch error {
        case let ending as ExitCode: code = ending.rawValue
        case let failure as CommandFailure:
            code = failure.exitCode
            errors = Terminal.text(of: failure.message, remedy: failure.remedy)
        default:
            let text = Gatehouse.fullMessage(for: error, columns: columns) + "\n"
            let isHelp = Gatehouse.exitCode(for: error) == .success
            // ArgumentParser ends a wrong call with 64; ours is 2 for every kind of usage error.
            code = isHelp ? 0 : 2
            if isHelp { output = text } else { errors = text }
        }
    }

    /// Writes them and ends the program.
    func end() -> Never {
        if !output.isEmpty { Terminal.write(output) }
        Terminal.complain(errors)
        Foundation.exit(code)
    }
}
