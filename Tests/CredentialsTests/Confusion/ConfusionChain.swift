import Encoding
import TestKit

@testable import Credentials

/// Disguises over disguises: a row of choices takes one of the vectors or of the twins that are made here, and puts up to four
/// disguises on it, one over the other. The verdict is never better than the plain one's.
enum ConfusionChain {
    /// The longest row of choices that says something, in bytes.
    static let longest = 32

    /// What came of a row.
    enum Outcome {
        /// No disguise fits what the row chose.
        case nothingToTry
        /// The verdict was no better than the plain one's.
        case kept
        /// It was better; the text says how, and of what.
        case breach(String)
    }

    /// The vectors, and twins of every kind that is made without certificates; empty where they cannot be made.
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

    /// A row of the generator's upper bits: the lower ones of a linear congruential generator repeat soon.
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
            // Another one round it takes what is inside for one thing.
            if disguise.company != .none { company = disguise.company }
        }
        guard !names.isEmpty else { return .nothingToTry }
        let verdict = item.verdict(showing)
        guard let breach = item.breach(by: verdict, in: company) else { return .kept }
        let payload = String(decoding: showing.payload, as: UTF8.self)
        return .breach("\(breach)\n\(item.name): \(names)\nplain is \(item.plain.code)\n\(payload)")
    }
}
