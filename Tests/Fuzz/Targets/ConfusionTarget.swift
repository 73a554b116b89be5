import Encoding
import TestKit

@testable import Credentials

extension FuzzTarget {
    /// What a holder makes of signed things without a key of their issuers: an input is a row of choices, which take one of the
    /// vectors or of the twins that are made here, and put up to four disguises on it, one over the other. The verdict is never
    /// better than the plain one's.
    static let confusion = FuzzTarget(
        name: "confusion", longest: 32,
        seeds: {
            var generator = FixedGenerator(state: 20_261_124)
            return (0..<400).map { _ in (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) } }
        },
        check: { bytes in
            guard !cases.isEmpty else { return require(false, "cases to disguise") }
            var choices = Choices(bytes)
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
            guard !names.isEmpty else { return }
            let verdict = item.verdict(showing)
            guard let breach = item.breach(by: verdict, in: company) else { return }
            let payload = String(decoding: showing.payload, as: UTF8.self)
            require(false, "\(breach)\n\(item.name): \(names)\nplain is \(item.plain.code)\n\(payload)")
        })

    /// The vectors, and twins of every kind that is made without certificates.
    private static let cases: [PlainCase] = {
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
}
