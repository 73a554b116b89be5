import ArgumentParser
import Encoding

/// A word at the place of a command that names no command, with the command that was probably meant.
struct CommandWord {
    /// The word that was typed.
    let word: String
    /// The commands before the word; the first is `gatehouse`.
    let path: [String]
    /// The commands that are possible at the place of the word.
    let known: [String]

    /// Returns the first word of `arguments` that should name a command but does not; nil if there is no such
    /// word. The words after `help` are checked, too.
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

    /// The failure for a person.
    var failure: CommandFailure {
        let own = path.joined(separator: " ")
        let nearest = known.min { $0.spellingDistance(to: word) < $1.spellingDistance(to: word) }
        // Up to half of the letters may be wrong; with more, another word must have been meant.
        let meant = nearest.flatMap { $0.spellingDistance(to: word) <= max(2, $0.utf8.count / 2) ? $0 : nil }
        return CommandFailure(
            "\(own) has no command \(Terminal.printable(word))",
            remedy: (meant.map { "did you mean \(own) \($0)? " } ?? "") + "\(own) --help lists them all")
    }
}
