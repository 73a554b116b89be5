import ArgumentParser
import Encoding
import Foundation

@testable import Workshop
@testable import gatehouse

/// A command of a program, from the parser's own description.
struct CommandTree {
    struct Option {
        /// `--json`, `-h`.
        let names: [String]
        let takesValue: Bool
        /// Whether the option takes all words up to the next option.
        let takesMore: Bool
        let help: String
    }

    /// The words after the program's name.
    let path: [String]
    let abstract: String
    let options: [Option]
    /// The largest number of positional arguments.
    let positionals: Int
    let children: [CommandTree]

    var isLeaf: Bool { children.isEmpty }

    /// This command and all its subcommands.
    var all: [CommandTree] { [self] + children.flatMap(\.all) }

    /// Reads the command tree of `gatehouse` from its parser.
    static func read() throws -> CommandTree { try gatehouse.get() }

    /// Reads the command tree of `gatehouse-workshop`, the program of the repository's tools.
    static func readWorkshop() throws -> CommandTree { try workshop.get() }

    private static let gatehouse = Result { try tree(of: Gatehouse.self) }
    private static let workshop = Result { try tree(of: WorkshopProgram.self) }

    private static func tree(of root: any ParsableCommand.Type) throws -> CommandTree {
        guard let command = try JSON.parse(root._dumpHelp())["command"] else {
            throw ProgramFailure(description: "no description of the commands")
        }
        return CommandTree(command, path: [])
    }

    private init(_ json: JSON, path: [String]) {
        self.path = path
        abstract = json["abstract"]?.string?.string ?? ""
        let arguments = json["arguments"]?.array ?? []
        options = arguments.filter { $0["kind"] != "positional" }.map { argument in
            let names = (argument["names"]?.array ?? []).map { name in
                (name["kind"] == "long" ? "--" : "-") + (name["name"]?.string?.string ?? "")
            }
            return Option(
                names: names, takesValue: argument["kind"] == "option",
                takesMore: argument["parsingStrategy"] == "upToNextOption",
                help: argument["abstract"]?.string?.string ?? "")
        }
        let positional = arguments.filter { $0["kind"] == "positional" }
        positionals = positional.contains { $0["isRepeating"] == true } ? .max : positional.count
        children = (json["subcommands"]?.array ?? []).compactMap { child in
            guard let name = child["commandName"]?.string?.string, name != "help" else { return nil }
            return CommandTree(child, path: path + [name])
        }
    }

    /// Returns why the program would reject these words (without `gatehouse`); nil when it would accept them.
    func complaint(about words: [String]) -> String? {
        var words = words[...]
        var command = self
        while let word = words.first, let child = command.children.first(where: { $0.path.last == word }) {
            command = child
            words = words.dropFirst()
        }
        if let word = words.first, !command.isLeaf, !word.hasPrefix("-") { return "there is no command \(word)" }
        var positionals = 0
        while let word = words.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                positionals += 1
                continue
            }
            guard let option = command.options.first(where: { $0.names.contains(word) }) else {
                return "\(command.path.joined(separator: " ")) has no option \(word)"
            }
            if option.takesValue, words.popFirst() == nil { return "\(word) takes a value" }
            while option.takesMore, let next = words.first, !next.hasPrefix("-") { words = words.dropFirst() }
        }
        return positionals > command.positionals ? "too many arguments" : nil
    }
}
