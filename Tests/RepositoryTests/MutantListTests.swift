import Foundation
import TestKit
import Testing

/// `Tests/Mutants/mutants.json`: each mutant replaces a text of the present sources, and names suites that exist.
@Suite struct MutantListTests {
    /// A mutant, as `Tests/Mutants/run` reads it.
    private struct Mutant: Decodable {
        let rule, file, from, to, tests: String
    }

    private static func read(_ path: String) throws -> String {
        try String(contentsOf: Vectors.repository.appendingPathComponent(path), encoding: .utf8)
    }

    private static func mutants() throws -> [Mutant] {
        try JSONDecoder().decode([Mutant].self, from: Data(read("Tests/Mutants/mutants.json").utf8))
    }

    /// `run` puts all mutants of a file into it, the longest text first. Each text must still occur once when its turn
    /// comes.
    @Test func eachTextOccursExactlyOnce() throws {
        let mutants = try Self.mutants()
        #expect(mutants.count > 100)
        var texts: [String: String] = [:]
        for mutant in mutants.sorted(by: { $0.from.utf8.count > $1.from.utf8.count }) {
            let text = try texts[mutant.file] ?? Self.read(mutant.file)
            let parts = text.components(separatedBy: mutant.from)
            #expect(parts.count == 2, "\(mutant.file): \(mutant.from): \(mutant.rule)")
            let isStatement = mutant.to.contains("{on}")
            texts[mutant.file] = parts.joined(separator: isStatement ? mutant.to : "(\(mutant.to)) (\(mutant.from))")
        }
    }

    @Test func eachSuiteExists() throws {
        let names = SourceTree.repository.words.reduce(into: Set<String>()) { names, file in
            if file.key.hasPrefix("Tests/") { names.formUnion(file.value) }
        }
        for mutant in try Self.mutants() {
            for suite in mutant.tests.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
                #expect(names.contains(String(suite)), "\(suite): \(mutant.rule)")
            }
        }
    }
}
