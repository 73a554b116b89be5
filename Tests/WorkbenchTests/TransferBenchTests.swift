import TestKit
import Testing

@testable import Workshop

/// The transfer bench transfers the whole message, or reports a failure. The speed depends on the build.
@Suite(.tags(.realTime)) struct TransferBenchTests {
    @Test func aMessageIsTimed() throws {
        let result = try TransferBench.run(bytes: 100_000, runs: 5)
        #expect(result.bytes == 100_000 / 505 * 505)
        #expect(result.check > .zero && result.time > result.check)
        #expect(result.ratio > 1 && result.megabytesPerSecond > 0)
    }

    /// A message that the protocol does not accept has no time.
    @Test(.tags(.exact)) func lostMessagesAreNotMeasured() {
        #expect(throws: TransferBench.Failure.self) { try TransferBench.run(bytes: 3_000_000, runs: 1) }
    }
}
