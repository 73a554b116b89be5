import Testing

/// The rules of CONTRIBUTING.md about the form of sources, with what breaks them now (`HouseAllowances.swift`). An
/// allowance may only fall, and is deleted at zero.
@Suite struct HouseTests {
    @Test func readsTheWholeRepository() {
        let files = SourceTree.repository.files
        #expect(files.count > 1500)
        for path in ["Package.swift", "Sources/Kiosk/Kiosk.swift", "Tests/RepositoryTests/House/HouseTests.swift"] {
            #expect(files[path]?.lines.isEmpty == false, "\(path)")
        }
        #expect(!files.keys.contains { $0.hasPrefix("Tests/Fuzz/Sources/") })
    }

    @Test(arguments: HouseRule.allCases) func holdsButForItsAllowances(_ rule: HouseRule) {
        let found = rule.measure(.repository)
        let allowed = HouseAllowances.files[rule] ?? [:]
        for path in Set(found.keys).union(allowed.keys).sorted() {
            Self.compare(found[path] ?? 0, allowed[path] ?? 0, "\(rule) of \(path)")
        }
    }

    @Test(arguments: Prose.Part.allCases) func wordsBecomeFewer(_ part: Prose.Part) throws {
        let words = HouseWords.dialect + (try Glossary.repository.entries.flatMap(\.unwanted))
        let allowed = HouseAllowances.words[part] ?? [:]
        for word in Set(words).union(allowed.keys).sorted() {
            #expect(words.contains(word), "\(word) is no word of the rule")
            Self.compare(Prose.repository.count(word, in: part), allowed[word] ?? 0, "\"\(word)\" in \(part)")
        }
    }

    private static func compare(_ found: Int, _ allowed: Int, _ what: String) {
        if found > allowed { Issue.record("\(what): \(found), and only \(allowed) are allowed") }
        if found < allowed { Issue.record("\(what): lower the allowance from \(allowed) to \(found)") }
    }
}
