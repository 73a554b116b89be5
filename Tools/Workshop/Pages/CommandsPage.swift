import Console
import Encoding
import Foundation

/// The page with the help of every command of `gatehouse`, as the program prints it.
struct CommandsPage {
    /// The path of the program `gatehouse`.
    let program: String

    /// The width of the help texts on the page, in characters.
    private static let columns = 100

    /// Returns the page. Runs the program for its list of commands, and for the help of each command.
    func text() throws -> String {
        let lead = """
            # Commands

            The commands of `gatehouse` with their options, as `--help` prints them. `make reference` generates this page; the manual page \
            `gatehouse(1)` has more detail.

            """
        let description = try output(of: ["--experimental-dump-help"])
        guard let root = (try? JSON.parse(description))?["command"] else {
            throw CommandFailure(
                Terminal.printable("\(program) does not list its commands"), remedy: "name a gatehouse: --program")
        }
        return ([lead] + (try sections(root, path: []))).joined(separator: "\n")
    }

    private func sections(_ command: JSON, path: [String]) throws -> [String] {
        let lines = try output(of: path + ["--help"]).split(separator: "\n", omittingEmptySubsequences: false).map {
            String($0.reversed().drop { $0 == " " }.reversed())
        }
        let title = (["gatehouse"] + path).joined(separator: " ")
        // Drop the empty text after the last line end.
        var sections = [(["## `\(title)`", "", "```text"] + lines.dropLast() + ["```", ""]).joined(separator: "\n")]
        for child in command["subcommands"]?.array ?? [] {
            guard let name = child["commandName"]?.string?.string, name != "help" else { continue }
            sections += try self.sections(child, path: path + [name])
        }
        return sections
    }

    /// Returns the standard output of the program. Throws if the program fails.
    private func output(of words: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(["COLUMNS": "\(Self.columns)"]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        do { try process.run() } catch {
            throw CommandFailure(
                Terminal.printable("\(program) cannot be run: \(error.localizedDescription)"),
                remedy: "build it, or name another one: --program")
        }
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0, let text = Text(utf8: Array(bytes)) else {
            throw CommandFailure(
                Terminal.printable("\(program) \(words.joined(separator: " ")) failed"), remedy: "run it by hand")
        }
        return text.string
    }
}
