import TestKit
import Testing
import Workbench

@testable import Workshop

/// A short soak: every visitor gets the right verdict, everything is recorded, and the printed figures are counts.
/// `make figures` runs a long soak.
@Suite(.timeLimit(.minutes(3)), .tags(.realTime)) struct SoakTests {
    @Test func aShortSoakIsRight() async throws {
        let figures = try await Soak.run(visits: 700, alone: 40, below: MemoryFolder.parent) { _, _ in }
        #expect(figures.isRight, "\(figures)")
        #expect(figures.visits == [.accepted: 420, .rejected: 140, .left: 70, .junk: 70])
        #expect(figures.records["accepted"] == 420 && figures.records["gate opened"] == 420)
        // The rarest kind of visit occurred 70 times. Tests in the same process have descriptors of their
        // own.
        #expect(figures.end.descriptors < figures.start.descriptors + 60)
        // Each visit has three commits (intent, decision and outcome) and two writes of the witness. The log is copied
        // at the end and, if the pauses of the crowd were too short for a copy, once before. A copy has two syncs, and
        // the new start of the log has one.
        let (alone, syncs) = (figures.alone, figures.alone.counts.syncs)
        #expect(alone.visits == 40 && (5 * 40...5 * 40 + 7).contains(syncs), "\(syncs)")
        #expect(
            figures.alone.counts.bytes > 40 * 4096 && figures.alone.counts.blocks * 4096 > figures.alone.counts.bytes)
    }
}
