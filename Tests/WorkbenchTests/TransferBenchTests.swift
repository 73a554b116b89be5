import TestKit
import Testing
import Workbench

/// The bench of the transfer takes the whole message, or says that it did not. How fast is a matter of the build.
@Suite(.tags(.realTime)) struct TransferBenchTests {
    @Test func aMessageIsTimed() throws {
        let result = try TransferBench.run(bytes: 100_000, runs: 5)
        #expect(result.bytes == 100_000 / 505 * 505)
        #expect(result.check > .zero && result.time > result.check)
        #expect(result.ratio > 1 && result.megabytesPerSecond > 0)
    }

    /// What the protocol does not take cannot be timed.
    @Test(.tags(.exact)) func whatDoesNotArriveIsNoFigure() {
        #expect(throws: TransferBench.Failure.self) { try TransferBench.run(bytes: 3_000_000, runs: 1) }
    }
}
