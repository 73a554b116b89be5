import TestKit
import Testing

@testable import Credentials

/// A holder is never admitted by withholding. The test uses random credentials and rules, with every combination of the
/// parts that may be shown.
@Suite struct WithheldTests {
    @Test func tokens() throws { try Self.check("SD-JWT", 0..<60, least: 2_000, WithheldToken.trial) }

    @Test func statements() throws { try Self.check("ecdsa-sd-2023", 0..<12, least: 500, WithheldStatements.trial) }

    @Test(.tags(.nightly), arguments: 0..<10) func manyTokens(part: Int) throws {
        try Self.check("SD-JWT", (part + 1) * 10_000..<(part + 1) * 10_000 + 500, least: 15_000, WithheldToken.trial)
    }

    @Test(.tags(.nightly), arguments: 0..<10) func manyStatements(part: Int) throws {
        try Self.check(
            "ecdsa-sd-2023", (part + 1) * 10_000..<(part + 1) * 10_000 + 120, least: 5_000, WithheldStatements.trial)
    }

    private static func check(
        _ name: String, _ seeds: Range<Int>, least: Int, _ make: (Int) throws -> (WithheldTrial, [String])
    ) throws {
        var (count, gains): (Int, [String]) = (0, [])
        for seed in seeds {
            let (trial, rules) = try make(seed)
            gains += try trial.gains(under: rules, counting: &count)
        }
        print("withheld: \(name): \(count) verdicts of \(seeds.count) credentials")
        for gain in gains.prefix(20) { print("withheld: \(gain)") }
        #expect(count >= least && gains.isEmpty, "\(gains.count): \(gains.prefix(5))")
    }
}
