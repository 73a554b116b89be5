import ArgumentParser
import Encoding

/// A word in the place of a command that is none, with the command that was probably meant.
struct CommandWord {
    /// What was typed.
    let word: String
    /// The commands before it, `gatehouse` first.
    let path: [String]
    /// What may stand in its place.
    let known: [String]

    /// The first word of these arguments that should name a command and does not; nil: all do. Also those behind `help`.
    static func unknown(in arguments: [String], of root: any ParsableCommand.Type) -> CommandWord? {
        var words = arguments[...]
        if words.first == "help" { words = words.dropFirst() }
        var (command, path) = (root, [root._commandName])
        for word in words {
            let children = command.configuration.subcommands
            if children.isEmpty || word.hasPrefix("-") { return nil }
            guard let next = children.first(where: { $0._commandName == word }) else {
                return CommandWord(word: word, path: path, known: children.map { $0._commandName })
            }
            command = next
            path.append(word)
        }
        return nil
    }

    /// What a person should know of it.
    var failure: CommandFailure {
        let own = path.joined(separator: " ")
        let nearest = known.min { $0.spellingDistance(to: word) < $1.spellingDistance(to: word) }
        // Half of the letters may be wrong; a word farther away was meant otherwise.
        let meant = nearest.flatMap { $0.spellingDistance(to: word) <= max(2, $0.utf8.count / 2) ? $0 : nil }
        return CommandFailure(
            "\(own) has no command \(Terminal.printable(word))",
            remedy: (meant.map { "did you mean \(own) \($0)? " } ?? "") + "\(own) --help lists them all")
    }
}
