import Encoding
import TestKit

@testable import Credentials

/// Combined disguises. A row of choices selects a vector or a twin made by the tests, and up to four disguises to apply
/// one after the other. The verdict must never be better than that of the plain case.
enum ConfusionChain {
    /// The maximum number of used bytes of a row of choices.
    static let longest = 32

    /// The result of a row.
    enum Outcome {
        /// No disguise fits the choices of the row.
        case nothingToTry
        /// The verdict was no better than that of the plain case.
        case kept
        /// The verdict was better; the text describes the difference and the case.
        case breach(String)
    }

    /// The vectors, and twins of every kind without certificates; empty if they cannot be made.
    static let cases: [PlainCase] = {
        do {
            let vectors = try ConfusionVectors.folders.compactMap { try ConfusionVectors.cases(of: $0) }.joined()
            let twins =
                try GraphSigner.Suite.sample.flatMap { try ConfusionTwin.linkedData($0) }
                + TokenKind.allCases.flatMap { try TokenTwins($0).all() } + TokenTwins.others()
            return twins.map(\.plain) + vectors
        } catch {
            return []
        }
    }()

    /// Returns a row made of the upper bits of the generator, because the lower bits of a linear congruential generator
    /// soon repeat.
    static func random(using generator: inout some RandomNumberGenerator) -> [UInt8] {
        (0..<16).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 56) }
    }

    static func attempt(_ row: [UInt8]) -> Outcome {
        guard !cases.isEmpty else { return .nothingToTry }
        var choices = Choices(row)
        let item = choices.pick(cases)
        var (showing, names, company) = (item.showing, [String](), Disguise.Company.none)
        for _ in 0..<[1, 1, 2, 2, 2, 3, 3, 4][choices.below(8)] {
            let disguises = choices.pick(Disguise.families)(showing, item.kit)
            guard let disguise = choices.pick(orNone: disguises), item.isTelling(disguise),
                let shown = try? disguise.make(), shown.payload.count < 256 * 1024
            else { continue }
            showing = shown
            names.append(disguise.name)
            // A disguise applied later treats the earlier result as one object, so the accompanying credential stays.
            if disguise.company != .none { company = disguise.company }
        }
        guard !names.isEmpty else { return .nothingToTry }
        let verdict = item.verdict(showing)
        guard let breach = item.breach(by: verdict, in: company) else { return .kept }
        let payload = String(decoding: showing.payload, as: UTF8.self)
        return .breach("\(breach)\n\(item.name): \(names)\nplain is \(item.plain.code)\n\(payload)")
    }
}
