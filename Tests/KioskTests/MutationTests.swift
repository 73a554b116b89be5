import Encoding
import Kiosk
import Ledger
import Reasons
import Simulation
import Testing

/// Mutates real visits at the kiosk's HCI boundary, on all layers. The kiosk never crashes, never stalls, its
/// work stays bounded, it opens only for visitors who may be admitted, and it admits the next visitor.
@Suite struct MutationTests {
    private static let recordings = Result {
        try [PhoneTraits.android14, .iPhone, .android13, .iPhone185].map {
            try RecordedVisit($0, record: Array(("{\"text\":\"" + Hex.encode(Array(0...255)) + "\"}").utf8))
        }
    }

    /// The events of a part, counted.
    struct Tally {
        var sessions = 0
        var mutations = 0
        var accepted = 0
        var failed = 0
        var restarts = 0
    }

    /// Each part has its own seeds; a failure names the seed of its session, which is enough to repeat it.
    @Test(.timeLimit(.minutes(10)), arguments: [1, 2, 3, 4] as [UInt64])
    func spoiledVisitsEndAndTheNextVisitorIsLetIn(part: UInt64) async throws {
        let recordings = try Self.recordings.get()
        var tally = Tally()
        var gate = try ReplayGate(recordings, seed: part)
        var session: UInt64 = 0
        while tally.mutations < 26_000 {
            session += 1
            await Task.yield()  // tests that run in real time share these threads
            let seed = part << 32 | session
            if let problem = Self.run(&gate, recordings, seed: seed, &tally) {
                Issue.record("seed \(seed): \(problem)")
                if session > 20_000 { return }
                gate = try ReplayGate(recordings, seed: seed)
            }
        }
        tally.restarts = gate.kiosk.counters.radioFailures
        print("mutated visits, part \(part): \(tally)")
        // Checks that the mutations reach every stage: some sessions still succeed, some fail in the
        // protocol, some make the radio restart.
        #expect(tally.accepted > 30 && tally.failed > 30 && tally.restarts > 30)
    }

    /// Without a mutation a replay is an accepted visit; otherwise the test above would prove nothing.
    @Test func aReplayIsAVisit() throws {
        let recordings = try Self.recordings.get()
        var gate = try ReplayGate(recordings, seed: 1)
        for recording in recordings {
            #expect(Self.ordinaryVisit(&gate, recording) == nil)
            gate.give(.transportClosed(.transport(.radioGone, "test")))
        }
        #expect(gate.results == [.accepted, .accepted, .accepted, .accepted])
        #expect(gate.statusBytes.allSatisfy { $0 == 0 })
    }

    /// Unrequested answers and other events that a driver may deliver wrongly or late.
    @Test func eventsAtTheWrongTimeChangeNothingForTheNextVisitor() async throws {
        let recordings = try Self.recordings.get()
        var gate = try ReplayGate(recordings, seed: 99)
        for seed in 1...300 as ClosedRange<UInt64> {
            await Task.yield()
            var random = SplitMix64(seed: seed)
            let recording = recordings[Int.random(in: 0..<recordings.count, using: &random)]
            gate.recording = recording
            let isReady = gate.passUntilReady(limit: .seconds(300))
            #expect(isReady, "seed \(seed)")
            for index in recording.packets.indices {
                gate.play([(.milliseconds(10), recording.packets[index].packet)])
                if random.happens(0.1) { gate.give(Self.oddEvent(recording, &random)) }
            }
            if let problem = Self.ordinaryVisit(&gate, recordings[0]) { Issue.record("seed \(seed): \(problem)") }
        }
    }

    private static func oddEvent(_ recording: RecordedVisit, _ random: inout SplitMix64) -> KioskEvent {
        let nobody = VisitID("00000000-0000-4000-8000-000000000000")
        let events: [KioskEvent?] = [
            .start, .transportOpened, .timer, recording.material(&random).map(KioskEvent.sessionMaterial),
            .intentDurable(IntentID(nobody.text)), .intentFailed(IntentID(nobody.text), .database("late")),
            .verified(nobody, .test(.ok)),
            .transportClosed(.transport(.radioGone, "test")),
        ]
        return events[Int.random(in: 0..<events.count, using: &random)] ?? .timer
    }

    /// Plays one mutated visit, then an ordinary one. Returns a description of the failure, or nil.
    private static func run(
        _ gate: inout ReplayGate, _ recordings: [RecordedVisit], seed: UInt64, _ tally: inout Tally
    ) -> String? {
        var random = SplitMix64(seed: seed)
        let recording = recordings[Int.random(in: 0..<recordings.count, using: &random)]
        gate.recording = recording
        if !gate.passUntilReady(limit: .seconds(300)) { return "not on the air before the visit" }

        var packets = recording.packets
        // Few mutations let a visit proceed far; many disturb the host.
        let range = [1...3, 1...3, 4...20, 4...20, 30...120].randomElement(using: &random) ?? 1...3
        let count = Int.random(in: range, using: &random)
        for _ in 0..<count { PacketMutation.apply(to: &packets, &random) }
        // Some of the controller's answers are mutated too; in some sessions also those during its start.
        let share = random.happens(0.3) ? 0.1 : 0.01
        var (answers, spoiled) = (random.fork(), 0)
        gate.spoil = { packet in
            guard answers.happens(share) else { return [packet] }
            spoiled += 1
            return PacketMutation.apply(to: packet, &answers)
        }
        if random.happens(0.05) {
            gate.give(.transportClosed(.transport(.radioGone, "test")))
            gate.pass(.milliseconds(Int.random(in: 0...500, using: &random)))
        }
        let before = gate.results.count
        gate.play(packets)
        gate.pass(.milliseconds(Int.random(in: 0...3000, using: &random)))
        gate.spoil = nil
        tally.sessions += 1
        tally.mutations += count + spoiled
        tally.accepted += gate.results[before...].count { $0 == .accepted }
        tally.failed += gate.results[before...].count { $0 == .failed }

        return ordinaryVisit(&gate, recordings[Int.random(in: 0..<recordings.count, using: &random)])
    }

    private static func ordinaryVisit(_ gate: inout ReplayGate, _ recording: RecordedVisit) -> String? {
        gate.recording = recording
        if !gate.passUntilReady(limit: .seconds(300)) { return "not on the air again" }
        gate.pass(.seconds(6))  // the effects of the previous visit are over: its light, its pulse, its record
        let (results, openings, statuses) = (gate.results.count, gate.gateOpenings, gate.statusBytes.count)
        gate.play(recording.packets)
        gate.pass(.seconds(1))
        if let breach = gate.breaches.first { return "\(breach)" }
        if let trouble = gate.troubles.first { return trouble }
        if gate.results[results...] != [.accepted] { return "the next visitor: \(gate.results[results...])" }
        if gate.gateOpenings != openings + 1 { return "the gate opened \(gate.gateOpenings - openings) times" }
        if !gate.statusBytes[statuses...].contains(0) { return "the next wallet was not told" }
        return nil
    }
}
