import TestKit

@testable import Credentials

extension FuzzTarget {
    /// A holder's disguises of signed things, made without a key of their issuers: ``ConfusionChain``.
    static let confusion = FuzzTarget(
        name: "confusion", longest: ConfusionChain.longest,
        seeds: {
            var generator = FixedGenerator(state: 20_261_124)
            return (0..<400).map { _ in ConfusionChain.random(using: &generator) }
        },
        check: { bytes in
            switch ConfusionChain.attempt(bytes) {
            case .breach(let text): require(false, text)
            case .nothingToTry where ConfusionChain.cases.isEmpty: require(false, "cases to disguise")
            case .nothingToTry, .kept: break
            }
        })
}
