import TestKit
import Testing

/// Random combined disguises at full speed. The fuzz target `confusion` tries the same disguises under the fuzzer's
/// guidance.
@Suite struct ConfusionChainTests {
    @Test func someChains() { Self.check(seed: 0, rows: 2000) }

    /// A million rows.
    @Test(.tags(.nightly), arguments: 1...100) func chains(seed: Int) { Self.check(seed: seed, rows: 10_000) }

    private static func check(seed: Int, rows: Int) {
        var generator = FixedGenerator(state: UInt64(seed))
        var (kept, breaches) = (0, [String]())
        for _ in 0..<rows {
            switch ConfusionChain.attempt(ConfusionChain.random(using: &generator)) {
            case .nothingToTry: break
            case .kept: kept += 1
            case .breach(let text): breaches.append(text)
            }
        }
        print("confusion: chains of seed \(seed): \(kept) of \(rows) rows say something, \(breaches.count) breaches")
        for breach in breaches.prefix(5) { print("confusion: \(breach.prefix(4000))") }
        #expect(kept + breaches.count > rows / 2)
        #expect(breaches.isEmpty, "\(breaches.first?.prefix(400) ?? "")")
    }
}
