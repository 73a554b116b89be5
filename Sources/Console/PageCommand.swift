package import ArgumentParser

/// A command that makes one text and prints it.
package protocol PageCommand: ParsableCommand {
    /// Returns the text. Lines for people have at most `columns` characters; the lines of documents and of text for
    /// programs have no limit.
    func text(columns: Int) throws -> String
}

extension PageCommand {
    /// Prints the text. Lines for people are at most as wide as the terminal.
    package func run() throws { Terminal.write(try text(columns: Terminal.columns)) }
}
