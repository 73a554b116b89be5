import TestKit
import Testing
import Workbench

/// A short soak: everybody is told the truth, everything is recorded, and what it prints was counted. `make figures` plays a long one.
@Suite(.timeLimit(.minutes(3)), .tags(.realTime)) struct SoakTests {
    @Test func aShortSoakIsRight() async throws {
        let figures = try await Soak.run(visits: 700, alone: 40, below: MemoryFolder.parent) { _, _ in }
        #expect(figures.isRight, "\(figures)")
        #expect(figures.visits == [.accepted: 420, .rejected: 140, .left: 70, .junk: 70])
        #expect(figures.records["accepted"] == 420 && figures.records["gate opened"] == 420)
        // The rarest kind of visit came 70 times. Tests beside this one have descriptors of their own.
        #expect(figures.end.descriptors < figures.start.descriptors + 60)
        // Three commits for each, of intent, decision and outcome, and two of the witness. The log is copied at the
        // end, and once before where the gaps of the crowd were too short for it: two syncs, and one when it begins
        // anew.
        let (alone, syncs) = (figures.alone, figures.alone.counts.syncs)
        #expect(alone.visits == 40 && (5 * 40...5 * 40 + 7).contains(syncs), "\(syncs)")
        #expect(
            figures.alone.counts.bytes > 40 * 4096 && figures.alone.counts.blocks * 4096 > figures.alone.counts.bytes)
    }
}
