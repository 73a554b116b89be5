package import ArgumentParser

/// A command that makes a text and prints it.
package protocol PageCommand: ParsableCommand {
    /// Returns the text. Lines for people have at most `columns` columns; text for machines and pages of
    /// documents have no limit.
    func text(columns: Int) throws -> String
}

extension PageCommand {
    /// Prints the text for the terminal.
    package func run() throws { Terminal.write(try text(columns: Terminal.columns)) }
}
