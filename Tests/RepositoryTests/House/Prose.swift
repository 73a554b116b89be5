import Foundation
import TestKit

/// The text that people read in this repository, in three parts.
struct Prose: Sendable {
    /// A part of the text.
    enum Part: String, CaseIterable, Sendable {
        /// The comments of the sources and of the tools.
        case sources
        /// The comments of the tests.
        case tests
        /// The documents.
        case documents
    }

    /// The texts as words, with an empty word after each text.
    private let words: [Part: [String]]
    /// The indices of each word.
    private let places: [Part: [String: [Int]]]

    /// The comments of that tree, and those documents.
    init(_ tree: SourceTree, documents: [String]) {
        let comments = Dictionary(grouping: tree.files) { path, _ in
            ["Sources/", "Tools/"].contains(where: path.hasPrefix) ? Part.sources : .tests
        }
        .mapValues { files in files.map { $0.value.lines.map(\.comment).joined(separator: " ") } }
        words = comments.merging([.documents: documents]) { $1 }
            .mapValues { texts in texts.flatMap { Self.words($0) + [""] } }
        places = words.mapValues { Dictionary(grouping: $0.indices) { [words = $0] in words[$0] } }
    }

    /// The prose of this repository. The change log, the glossary and texts by other authors are left out.
    static let repository = Prose(.repository, documents: documents)

    private static var documents: [String] {
        let root = Vectors.repository
        let folders = ["docs", "hardware", "Examples"].flatMap { folder in
            let found = FileManager.default.enumerator(
                at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
            return (found?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "md" }
        }
        let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"].map(root.appendingPathComponent)
        return (folders + top).compactMap { try? String(contentsOf: $0, encoding: .utf8) }
            .map { $0.components(separatedBy: Glossary.heading)[0] }
    }

    /// Returns how often a phrase occurs as whole words, over the ends of lines too.
    func count(_ phrase: String, in part: Part) -> Int {
        let wanted = Self.words(phrase)
        guard let first = wanted.first, let words = words[part] else { return 0 }
        return (places[part]?[first] ?? []).count { words[$0...].starts(with: wanted) }
    }

    /// The words of a text in lower case. A hyphen is part of its word, an apostrophe is not.
    private static func words(_ text: String) -> [String] {
        text.utf8.split { byte in
            !SwiftSource.isPartOfWord(byte) && byte != UInt8(ascii: "-")
        }.map { String(decoding: $0, as: UTF8.self).lowercased() }
    }
}
