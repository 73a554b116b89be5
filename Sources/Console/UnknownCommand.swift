package import ArgumentParser
import Encoding

/// A word on the command line that is in the position of a command but names no command.
package struct UnknownCommand {
    /// The word that was typed.
    package let word: String
    /// The names of the commands before the word. The first is the program.
    package let path: [String]
    /// The names of the commands that are possible in the position of the word.
    package let known: [String]

    /// Returns the first word of `arguments` that should name a command but does not; nil if there is no such word.
    /// Words after `help` are checked as well.
    package static func unknown(in arguments: [String], of root: any ParsableCommand.Type) -> UnknownCommand? {
        var words = arguments[...]
        if words.first == "help" { words = words.dropFirst() }
        var (command, path) = (root, [root._commandName])
        for word in words {
            let children = command.configuration.subcommands
            if children.isEmpty || word.hasPrefix("-") { return nil }
            guard let next = children.first(where: { $0._commandName == word }) else {
                return UnknownCommand(word: word, path: path, known: children.map { $0._commandName })
            }
            command = next
            path.append(word)
        }
        return nil
    }

    /// The failure for a person. Its remedy proposes the command that was probably meant.
    package var failure: CommandFailure {
        let own = path.joined(separator: " ")
        let nearest = known.min { $0.spellingDistance(to: word) < $1.spellingDistance(to: word) }
        // Propose the nearest command only if at most half of its letters differ (in a short word two). Otherwise
        // another word was probably meant.
        let meant = nearest.flatMap { $0.spellingDistance(to: word) <= max(2, $0.utf8.count / 2) ? $0 : nil }
        return CommandFailure(
            "\(own) has no command \(Terminal.printable(word))",
            remedy: (meant.map { "did you mean \(own) \($0)? " } ?? "") + "\(own) --help lists them all")
    }
}
