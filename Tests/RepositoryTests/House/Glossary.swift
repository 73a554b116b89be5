import Foundation
import TestKit

/// The glossary of CONTRIBUTING.md: a table with the columns noun, meaning and not.
struct Glossary: Sendable {
    /// A row.
    struct Entry: Sendable {
        /// The noun, and others of the same row.
        let nouns: [String]
        /// The meaning.
        let meaning: String
        /// Words for the same thing that are not used.
        let unwanted: [String]
    }

    /// The heading above the table, to its end the last part of its page.
    static let heading = "\n## Glossary\n"

    /// The rows.
    let entries: [Entry]

    /// Reads the table below the heading "Glossary".
    init(_ page: String) {
        let table = page.components(separatedBy: Self.heading).last?.split(separator: "\n") ?? []
        entries = table.filter { $0.hasPrefix("| ") }.dropFirst().map { row in
            let cells = row.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
            // The words in parentheses after a noun name its subject, for example "thread (Aries)".
            let nouns = cells[0].replacing(#/ \(.*?\)/#, with: "")
            return Entry(
                nouns: nouns.components(separatedBy: ", "), meaning: cells.count > 1 ? cells[1] : "",
                unwanted: cells.count > 2 && !cells[2].isEmpty ? cells[2].components(separatedBy: ", ") : [])
        }
    }

    /// The glossary of this repository.
    static var repository: Glossary {
        get throws {
            Glossary(
                try String(contentsOf: Vectors.repository.appendingPathComponent("CONTRIBUTING.md"), encoding: .utf8))
        }
    }
}
