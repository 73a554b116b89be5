import Clocks
import CrashKit
import CrashVFS
import Credentials
import Encoding
import GateService
import Kiosk
import Ledger
import LinuxIO
import Reasons
import Simulation
import Store
import TestKit
import Testing
import Workbench

/// The same credential at the real kiosk, repeatedly: refusals, admissions, and the memory over a restart.
@Suite("Replays at the gate", .timeLimit(.minutes(10)), .tags(.realTime))
struct ReplayAtTheGateTests {
    private let date = WallTime(utc: Timestamp(seconds: 1_780_304_400), provenance: .rtc)  // 2026-06-01

    /// Plays these visitors, who all bring one credential, on that database; returns the reasons of their
    /// verdicts. `whenGone` is called when the last one has left, before the service ends.
    private func play(
        _ visits: [Simulation.Misbehaviour?], on disk: CrashDisk, start: UInt64 = 1, pulse: Duration = .milliseconds(1),
        failing: [Bool] = [], whenGone: (Store) async throws -> Void = { _ in }
    ) async throws -> [[String]] {
        let store = try await Store.open(disk.database)
        let siteKey = try await store.siteKey()
        let written = StoredGate.Counter()
        let keeper = LedgerKeeper(
            store: store, siteKey: siteKey, clock: .system, spawner: .system,
            stamp: { [date] in
                RecordStamp(kiosk: "gate-1", boot: StoredGate.stamp.boot, time: date, monotonic: .zero)
            }, onChange: { written.add($0) })
        let services = Task { await keeper.run() }
        var memory = ReplayMemory(window: .zero)
        let verifier = Verifier(trust: try TrustStore(Samples.trust))
        memory.window = verifier.policy.replay.window
        memory.recall(try await store.replays(), at: date, now: .zero)
        let verifiers = CurrentVerifier(verifier, siteKey: siteKey, memory: memory)

        let script = visits.enumerated().map { number, misbehaviour in
            Simulation.Visit(
                "visitor \(number)", phone: .android14,
                submission: .sealing(Samples.credential, seed: UInt64(number + 1)), misbehaviour: misbehaviour)
        }
        var gate = try StoredGate(keeper: keeper, written: written, disk: disk, visits: script, seed: start) {
            $0.gatePulse = pulse
        }
        (gate.pace, gate.failingOrders) = (.free, failing)
        gate.verificationTime = .seconds(1)
        gate.verifiers = (
            { visit, payload, now in verifiers.verify(payload, of: visit, at: date, monotonic: now) },
            { visit, use, now in verifiers.settle(visit, use, at: now) }
        )
        #expect(await gate.run(waitsForPulse: pulse < .seconds(1)))
        try await whenGone(store)
        keeper.finish()
        await services.value
        await store.close()
        #expect(gate.violations.isEmpty)
        return gate.outcomes.map { $0.outcome.reasons.map(\.code.string) }
    }

    @Test("a link that breaks before the verdict does not lock the owner out")
    func brokenLink() async throws {
        let ends = try await play([.leaves(.reportRequested), nil, nil], on: try CrashDisk())
        #expect(ends.count == 3)
        #expect(ends.first?.first == ReasonCode.transferDisconnected.text, "\(ends)")
        #expect(ends.dropFirst().map(\.first) == [ReasonCode.ok.text, ReasonCode.replaySeen.text], "\(ends)")
    }

    @Test("who leaves again and again is only counted in the end, and is let in when he stays")
    func countedLinks() async throws {
        let leaving = [Simulation.Misbehaviour?](repeating: .leaves(.reportRequested), count: 7)
        let ends = try await play(leaving + [nil], on: try CrashDisk())
        #expect(ends.dropLast().allSatisfy { $0.first == ReasonCode.transferDisconnected.text }, "\(ends)")
        #expect(ends.count == 6 && ends.last?.first == ReasonCode.ok.text, "\(ends)")
    }

    @Test("a relay that fails costs no credential, and no restart remembers it")
    func failingLine() async throws {
        let disk = try CrashDisk()
        #expect(try await play([nil], on: disk, failing: [true]) == [[ReasonCode.ok.text]])
        let ends = try await play([nil, nil, nil], on: disk, start: 2, failing: [true, false])
        #expect(ends.map(\.first) == [ReasonCode.ok.text, ReasonCode.ok.text, ReasonCode.replaySeen.text], "\(ends)")
    }

    @Test("who was let in is known after a restart")
    func restart() async throws {
        let disk = try CrashDisk()
        #expect(try await play([nil], on: disk) == [[ReasonCode.ok.text]])
        #expect(try await play([nil], on: disk, start: 2) == [[ReasonCode.replaySeen.text]])
        // Also after a power cut before the end of the pulse and its record: the names are on the disk
        // independently.
        let running = try CrashDisk()
        var cut: CrashDisk?
        let ends = try await play([nil], on: running, pulse: .seconds(5)) { store in
            try await eventually("remembered") { try await !store.replays().isEmpty }
            cut = try running.cut(before: running.operations, CRASH_KEEP_NONE, seed: 1)
        }
        #expect(ends == [])
        #expect(try await play([nil], on: try #require(cut), start: 2) == [[ReasonCode.replaySeen.text]])
        // A credential of an incomplete visit does not count as used.
        let other = try CrashDisk()
        _ = try await play([.leaves(.reportRequested)], on: other)
        #expect(try await play([nil], on: other, start: 2) == [[ReasonCode.ok.text]])
    }
}
