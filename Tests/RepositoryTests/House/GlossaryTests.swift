import Foundation
import TestKit
import Testing

/// The nouns of the glossary are the nouns of the code and of the documents, and have one row each.
@Suite struct GlossaryTests {
    @Test func eachNounHasAMeaningAndOneRow() throws {
        let entries = try Glossary.repository.entries
        #expect(entries.count > 60)
        let nouns = entries.flatMap(\.nouns)
        for noun in Set(nouns) { #expect(nouns.count { $0 == noun } == 1, "\(noun)") }
        for entry in entries { #expect(!entry.meaning.isEmpty, "\(entry.nouns)") }
        let rows = entries.compactMap { $0.nouns.first?.lowercased() }
        #expect(rows == rows.sorted(), "the rows are in alphabetical order")
    }

    @Test func eachNounIsUsed() throws {
        let nouns = try Glossary.repository.entries.flatMap(\.nouns).map { $0.lowercased() }
        for noun in nouns {
            let uses = [noun, noun + "s", noun.hasSuffix("y") ? String(noun.dropLast()) + "ies" : noun + "es"]
                .reduce(0) { sum, word in
                    sum + Prose.repository.count(word, in: .sources) + Prose.repository.count(word, in: .documents)
                }
            #expect(uses > 0, "\(noun) is not used")
        }
    }

    @Test func noNounIsUnwanted() throws {
        let entries = try Glossary.repository.entries
        let unwanted = entries.flatMap(\.unwanted)
        #expect(unwanted.count > 10)
        #expect(Set(unwanted).isDisjoint(with: entries.flatMap(\.nouns)))
        #expect(Set(unwanted).count == unwanted.count)
    }

    @Test func readsATable() {
        let glossary = Glossary(
            """
            | noun | of another table |
            ## Glossary

            Text.

            | noun | meaning | not |
            |---|---|---|
            | adapter | the kernel's device | dongle, stick |
            | inviter, invitee | two roles | |
            | thread (Aries) | messages | |
            """)
        #expect(glossary.entries.map(\.nouns) == [["adapter"], ["inviter", "invitee"], ["thread"]])
        #expect(glossary.entries.map(\.meaning) == ["the kernel's device", "two roles", "messages"])
        #expect(glossary.entries.map(\.unwanted) == [["dongle", "stick"], [], []])
    }
}
