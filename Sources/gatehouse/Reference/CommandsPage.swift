import ArgumentParser

/// The page with every command and its help, as `--help` prints it.
enum CommandsPage {
    /// The width of a block on the page, in columns.
    private static let columns = 100

    static var text: String {
        let lead = """
            # Commands

            The commands of `gatehouse` with their options, as `--help` prints them. `make reference` generates this page; the manual page \
            `gatehouse(1)` has more detail.

            """
        return ([lead] + sections(Gatehouse.self, path: ["gatehouse"])).joined(separator: "\n")
    }

    private static func sections(_ command: any ParsableCommand.Type, path: [String]) -> [String] {
        let help = Gatehouse.helpMessage(for: command, columns: columns)
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
        let section = (["## `\(path.joined(separator: " "))`", "", "```text"] + lines + ["```", ""]).joined(
            separator: "\n")
        let children = command.configuration.subcommands.flatMap { child in
            sections(child, path: path + [child._commandName])
        }
        return [section] + children
    }
}
