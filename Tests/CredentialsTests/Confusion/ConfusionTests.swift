import Encoding
import Reasons
import TestKit
import Testing

@testable import Credentials

/// A credential that a holder changes without a key of its issuer never gets a better verdict than the unchanged
/// credential.
///
/// The cases are every accepted and every rejected vector, and twins made by the tests that are expired, revoked,
/// denied, not yet valid or seen. Each case is tested under every label, wrapper, suffix, envelope, serialisation,
/// nesting, order, spelling of digits, foreign context and foreign member.
@Suite struct ConfusionTests {
    /// The number of disguises of each case in every run. `make nightly` tries all disguises.
    private static let (ofVector, ofTwin, ofToken) = (20, 60, 240)

    @Test(arguments: ConfusionVectors.folders) func vectors(of folder: String) throws {
        try Self.check(folder, vectors: folder, Self.ofVector)
    }

    @Test(.tags(.nightly), arguments: ConfusionVectors.folders) func allOfVectors(of folder: String) throws {
        try Self.check(folder, vectors: folder, .max)
    }

    @Test(arguments: GraphSigner.Suite.sample) func linkedData(of suite: GraphSigner.Suite) throws {
        try Self.check(suite.rawValue, try ConfusionTwin.linkedData(suite), Self.ofTwin)
    }

    @Test(.tags(.nightly), arguments: GraphSigner.Suite.allCases) func allOfLinkedData(suite: GraphSigner.Suite) throws
    {
        try Self.check(suite.rawValue, try ConfusionTwin.linkedData(suite), .max)
    }

    @Test(arguments: TokenKind.allCases) func tokens(of kind: TokenKind) throws {
        try Self.check(kind.rawValue, try TokenTwins(kind).all(), Self.ofToken)
    }

    @Test(.tags(.nightly), arguments: TokenKind.allCases) func allOfTokens(of kind: TokenKind) throws {
        try Self.check(kind.rawValue, try TokenTwins(kind).all(), .max)
    }

    @Test func tokensForOtherPurposes() throws {
        let twins = try TokenTwins.others()
        for twin in twins { #expect(!twin.plain.plain.isAccepted, "\(twin.plain.name)") }
        try Self.check("tokens for other purposes", twins, .max)
    }

    @Test func mdocs() throws { try Self.check("mdocs", try ConfusionTwin.mdocs(), Self.ofToken) }

    // MARK: - Verdicts

    private static func check(_ name: String, _ twins: [ConfusionTwin], _ sample: Int) throws {
        for twin in twins where !twin.code.isEmpty {
            #expect(twin.plain.plain.code.text == twin.code, "\(twin.plain.name) \(twin.plain.plain.reasons)")
        }
        check(name, twins.map(\.plain), sample)
    }

    private static func check(_ name: String, vectors folder: String, _ sample: Int) throws {
        guard let cases = try ConfusionVectors.cases(of: folder) else { return }
        #expect(!cases.isEmpty)
        check(name, cases, sample)
    }

    /// The minimum number of disguises of each case. With 1,200 vectors and more than 350 twins there are
    /// over 50,000 cases in every run.
    private static func least(_ sample: Int) -> Int { sample == .max ? 200 : sample * 9 / 10 }

    private static func check(_ name: String, _ cases: [PlainCase], _ sample: Int) {
        var tally = ConfusionTally()
        for (number, item) in cases.enumerated() {
            let all = item.disguises
            var generator = FixedGenerator(state: UInt64(number))
            tally.attempt(item, sample < all.count ? all.shuffled(using: &generator).prefix(sample) : all[...])
        }
        print("confusion: \(name): \(tally.cases) cases of \(cases.count)")
        for failure in tally.failures.prefix(40) { print("confusion: \(failure)") }
        #expect(tally.cases >= cases.count * least(min(sample, ofToken)), "\(name): \(tally.cases)")
        #expect(tally.failures.isEmpty, "\(name): \(tally.failures.count): \(tally.failures.prefix(10))")
    }
}
