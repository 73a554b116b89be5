import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse-workshop crowd`: the same crowd in every process, and a large one at eight gates. `GATEHOUSE_CROWD` sets
/// its size.
@Suite(.tags(.models), .timeLimit(.minutes(10))) struct CrowdCommandTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// Dictionaries and sets have a different order in each process; a crowd must not depend on it.
    @Test func theSameSeedGivesTheSameBitsInEveryProcess() async throws {
        func digest(_ seed: String) async throws -> JSON? {
            let ending = try await folder.workshop(
                "crowd", "--visits", "30", "--gates", "3", "--phones", "12", "--hostile", "20", "--loss", "30",
                "--mixed", "20",
                "--seed", seed, "--json")
            #expect(ending.code == 0 && ending.errors.isEmpty && ending.json.count == 1, "\(ending)")
            return ending.json.first?["digest"]
        }
        let first = try #require(try await digest("4"))
        #expect(try await digest("4") == first)
        #expect(try await digest("5") != first)
    }

    @Test func noVisitorIsWronglyAdmittedInALargeCrowd() async throws {
        let visits = ProcessInfo.processInfo.environment["GATEHOUSE_CROWD"] ?? "100"
        let words = [
            "crowd", "--visits", visits, "--gates", "8", "--phones", "50", "--hostile", "5", "--loss", "30", "--mixed",
            "20", "--choosing", "2000", "7000", "--seed", "11", "--json",
        ]
        // The work grows with the number of visits, so only the limit of the suite ends a crowd that hangs.
        let ending = try await Program.run(Program.workshop, words, in: folder, within: .seconds(590))
        #expect(ending.code == 0 && ending.errors.isEmpty, "\(ending.errors)")
        let row = try #require(ending.json.first)
        print("crowd of \(visits): \(row.compactText)")
        #expect(row["wrong"] == 0 && row["unserved"] == 0 && row["mistakes"] == [])
        #expect(row["visitors"]?.int ?? 0 >= Int(visits) ?? 100)
    }

    @Test func theTableIsThatOfThePage() async throws {
        let ending = try await folder.workshop(
            "crowd", "--visits", "5", "--phones", "1", "--hostile", "0", "--loss", "0", "--markdown")
        #expect(ending.code == 0 && ending.lines.first?.hasPrefix("    gatehouse-workshop crowd --visits 5") == true)
        #expect(ending.lines.count { $0.hasPrefix("|") } == 3)
        #expect(try await folder.workshop("crowd", "--gates", "0").code == 2)
    }
}
