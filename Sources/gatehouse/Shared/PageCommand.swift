import ArgumentParser

/// A command that makes a text and prints it.
protocol PageCommand: ParsableCommand {
    /// Returns the text. Lines for people have at most `columns` columns; text for machines and pages of
    /// documents have no limit.
    func text(columns: Int) throws -> String
}

extension PageCommand {
    func run() throws { Terminal.write(try text(columns: Terminal.columns)) }
}
