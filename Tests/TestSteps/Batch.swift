/// Tests that a single process runs, one at a time.
package struct Batch: Sendable {
    /// The tests in the catalogue's order.
    package let tests: [Catalogue.Test]

    /// Creates a batch of these tests.
    package init(tests: [Catalogue.Test]) { self.tests = tests }

    /// The regular expression that selects exactly these tests of a bundle, for `--filter`.
    package var filter: String {
        let names = tests.map { $0.id.map(Self.escaped).joined() }
        return "^(?:" + names.joined(separator: "|") + ")$"
    }

    /// Letters and digits stay; everything else is escaped.
    private static func escaped(_ character: Character) -> String {
        character.isLetter || character.isNumber || character == "_" || character == "`" || character == " "
            ? String(character) : "\\" + String(character)
    }
}
