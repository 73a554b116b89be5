import Encoding
import Foundation
import Reasons
import Testing

@testable import Credentials

/// Expired, revoked, denied and stolen documents in other spellings. None is accepted, and no valid document gets
/// another verdict.
@Suite struct RespellingTwinTests {
    private static let isWhole = ProcessInfo.processInfo.environment["GATEHOUSE_RESPELLINGS"] == "all"
    private static let sample = isWhole ? Int.max : 50
    private static let suites = (isWhole ? GraphSigner.Suite.allCases : GraphSigner.Suite.sample).filter { !$0.isText }

    @Test(arguments: suites) func credentials(of suite: GraphSigner.Suite) throws {
        try Self.check(RespellingTwins(suite).credentials(), as: "credentials \(suite.rawValue)")
    }

    @Test(arguments: suites) func embedding(of suite: GraphSigner.Suite) throws {
        try Self.check(RespellingTwins(suite).embedding(), as: "embedding \(suite.rawValue)")
    }

    @Test(arguments: suites) func ruled(of suite: GraphSigner.Suite) throws {
        try Self.check(RespellingTwins(suite).ruled(), as: "rules \(suite.rawValue)")
    }

    @Test(arguments: suites) func presentations(of suite: GraphSigner.Suite) throws {
        try Self.check(RespellingTwins(suite).presentations(), as: "presentations \(suite.rawValue)")
    }

    @Test(arguments: suites) func statusLists(of suite: GraphSigner.Suite) throws {
        try Self.check(RespellingTwins(suite).statusLists(), as: "status lists \(suite.rawValue)", also: ["status."])
    }

    /// A trick that never works tests nothing.
    @Test func everyRespellingAppliesSomewhere() throws {
        let twins = try RespellingTwins(.eddsaRDFC2022)
        let documents = try twins.credentials() + twins.presentations()
        var (known, seen): (Set<String>, Set<String>) = ([], [])
        for respeller in documents.map(\.respeller) {
            for candidate in respeller.candidates
            where known.insert(candidate.trick).inserted || !seen.contains(candidate.trick) {
                if respeller.respelt(candidate) != nil { seen.insert(candidate.trick) }
            }
        }
        #expect(known.subtracting(seen).isEmpty && seen.count >= 60, "\(known.subtracting(seen).sorted())")
    }

    private static func check(_ twins: [RespellingTwin], as name: String, also: [String] = []) throws {
        var tally = RespellingTally()
        for twin in twins {
            let respeller = twin.respeller
            let trial = try twin.trial(respeller.second)
            #expect(trial.plain.code.text == twin.code, "\(twin.name) \(trial.plain.reasons)")
            var tried = 0
            for candidate in respeller.chosen(seed: twin.document) where twin.pinsExchange || !candidate.exchanges {
                if tried >= sample { break }
                guard let respelt = respeller.respelt(candidate) else { continue }
                tried += 1
                tally.record(candidate, trial, try trial.failures(of: candidate, respelt, also: also))
            }
        }
        print("respellings: \(name): \(tally.cases) cases of \(twins.count) twins")
        for line in tally.summary { print("respellings: \(name): \(line)") }
        #expect(tally.cases >= twins.count * 50)
        #expect(tally.failures.isEmpty, "\(tally.failures.count): \(tally.failures.prefix(10))")
    }
}
