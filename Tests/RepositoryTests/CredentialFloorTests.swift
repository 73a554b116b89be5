import Foundation
import TestKit
import Testing

/// The floors of `Credentials`: a file names types of its own floor and of those below, never of one above.
/// The code behind a verdict can therefore be read from the lowest floor up.
@Suite struct CredentialFloorTests {
    /// From the lowest floor up. Folders on one line are one floor and may name each other's types.
    static let floors: [[String]] = [
        ["Words"],
        ["Keys"],
        ["Certificates"],
        ["Claims", "Contexts"],
        ["Policy"],
        ["Trust"],
        ["Run"],
        ["Kind", "Shape", "Envelope", "LinkedDataFormat", "Proof", "Tokens", "Mdoc"],
        ["Status"],
        ["Presentations", "Needs", ""],
    ]

    private static let root = Vectors.repository.appendingPathComponent("Sources/Credentials")

    /// A source file with its floor and its words, without comments and string literals.
    private struct Source {
        let path: String
        let floor: Int
        let words: [Substring]
        let declared: [String]
    }

    private func sources() throws -> [Source] {
        let files = try #require(FileManager.default.enumerator(at: Self.root, includingPropertiesForKeys: nil))
        var sources: [Source] = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let path = String(file.path.dropFirst(Self.root.path.count + 1))
            let folder = path.contains("/") ? String(path.prefix { $0 != "/" }) : ""
            let floor = try #require(Self.floors.firstIndex { $0.contains(folder) }, "\(folder) is on no floor")
            sources.append(Self.source(try String(contentsOf: file, encoding: .utf8), path, floor))
        }
        return sources
    }

    private static func source(_ text: String, _ path: String, _ floor: Int) -> Source {
        let code = text.split(separator: "\n", omittingEmptySubsequences: false).map(withoutCommentAndTexts)
        // A top-level type is declared at the left edge.
        let declared = code.compactMap { line in
            line.firstMatch(
                of:
                    #/
                    ^(?:(?:package|public|private|fileprivate|final|indirect)\s+)*
                    (?:struct|enum|class|protocol|typealias|actor)\s+([A-Z]\w*)
                    /#
            ).map { String($0.1) }
        }
        let isPrivate = code.filter { $0.hasPrefix("private") || $0.hasPrefix("fileprivate") }
        let hidden = Set(isPrivate.flatMap { $0.split { !$0.isLetter && !$0.isNumber }.map(String.init) })
        return Source(
            path: path, floor: floor,
            words: code.flatMap { $0.split { !$0.isLetter && !$0.isNumber && $0 != "_" } },
            declared: declared.filter { !hidden.contains($0) })
    }

    private static func withoutCommentAndTexts(_ line: Substring) -> String {
        let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
        return String(code).replacing(/"(?:[^"\\]|\\.)*"/, with: "")
    }

    /// Returns each reference to a type of a higher floor, as `FILE names TYPE of FILE`.
    private static func upward(_ sources: [Source]) -> [String] {
        var homes: [String: Source] = [:]
        for source in sources { for type in source.declared { homes[type] = source } }
        return sources.flatMap { source in
            Set(source.words.map(String.init)).sorted().compactMap { word in
                guard let home = homes[word], home.floor > source.floor else { return nil }
                return "\(source.path) names \(word) of \(home.path)"
            }
        }
    }

    @Test func noFileNamesAFloorAbove() throws {
        let sources = try sources()
        #expect(sources.count > 100 && Set(sources.map(\.floor)).count == Self.floors.count)
        let found = Self.upward(sources)
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
    }

    /// The test detects what it searches for.
    @Test func aReferenceUpwardIsFound() {
        let above = Self.source("struct Roof {}\nprivate struct Nail {}\n", "Roof.swift", 5)
        let below = Self.source("// Roof\nlet a = \"Roof\"\nlet nail: Nail\n", "Cellar.swift", 0)
        #expect(Self.upward([above, below]).isEmpty)
        let wrong = Self.source("func f(_ roof: Roof?) {}\n", "Wall.swift", 1)
        #expect(Self.upward([above, below, wrong]) == ["Wall.swift names Roof of Roof.swift"])
    }
}
