import Encoding
import Foundation
import TestKit
import Testing

/// Kills the real process at random moments, as a power cut does. Afterwards the ledger must account for
/// everything that an observer could have seen, and the cloud agent must receive a report of every visit
/// under one id.
@Suite(.tags(.realTime)) struct CrashTests {
    /// The number of kills.
    private let kills =
        ProcessInfo.processInfo.environment["GATEHOUSE_KILLS"].flatMap { Int($0) } ?? (PeerRun.isThorough ? 50 : 25)

    @Test(.timeLimit(.minutes(8)))
    func everythingSeenIsRecorded() async throws {
        let seed = ProcessInfo.processInfo.environment["GATEHOUSE_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...9999)
        var random = SplitMix(state: seed)
        // In memory: a killed process loses nothing that it has written, on any file system.
        let place = try Workplace("crash", isInMemory: true)
        guard let credential = try Credential(place) else { return place.remove() }
        let agent = try CloudAgent(version: CloudAgent.versions[0], place)
        try await agent.command("start")
        let invitation = try place.write("invitation", try await agent.command("invite")["url"]?.string?.string ?? "")
        let air = try await Air(place)
        let kiosk = try KioskProcess(
            place, radioPort: air.port, trust: credential.trust, invitation: invitation,
            relay: try Stall(place, library: try await Stall.library(place)))
        var crash = Crash(air: air, kiosk: kiosk)

        // A quick phone covers the moments around the verdict, a slow one those in the middle of a transfer.
        let quick = Air.Visit(uri: "", payload: credential.genuine, settle: 0.05)
        let slow = Air.Visit(uri: "", payload: credential.genuine, manner: "ios", mtu: 100)
        _ = try await crash.live(slow, until: nil)
        let life = try await crash.live(quick, until: nil)
        for number in 0..<kills {
            let share = Double.random(in: 0...1.05, using: &random)
            switch number % 3 {
            case 0: _ = try await crash.live(quick, until: .init(event: nil, delay: life * share))
            case 1:
                _ = try await crash.live(
                    slow, until: .init(event: "transfer.started", delay: .milliseconds(350) * share))
            default:
                // On a slow machine the verdict takes longer: every second kill counts from the `gate` event.
                let event: Text = number.isMultiple(of: 2) ? "transfer.started" : "gate"
                _ = try await crash.live(quick, until: .init(event: event, delay: .milliseconds(60) * share))
            }
        }
        _ = try await crash.live(quick, until: nil)

        print("crash test: \(kills) kills, seed \(seed), a life of \(life); \(crash.tally)")
        let records = crash.records
        #expect(records.allSatisfy { $0.result != nil }, "after an ordinary end no intent is open")
        // Delivery before the end of a run is not promised; one more run lasts until the agent has received
        // every record.
        try kiosk.start()
        let reports = try await agent.reports(count: records.count, within: .seconds(60))
        #expect(try await kiosk.terminate() == .exit(0))
        let told = Dictionary(grouping: reports, by: { $0.content["seq"]?.int })
        #expect(reports.count == records.count, "one report for each visit, under one id")
        for record in records {
            #expect(told[record.seq]?.first?.id == record.visit)
            #expect(told[record.seq]?.first?.content["result"]?.string == record.result)
        }
        #expect(crash.tally.effects > kills / 10, "the kills came too early to show anything")
        #expect(
            crash.tally.interrupted + crash.tally.decided > 0,
            "no kill hit a visit between its intent and its outcome")
        try await agent.stop()
        try await air.stop()
        place.remove()
    }
}

/// The runs of one kiosk on one ledger, with one phone in each.
private struct Crash {
    struct Tally: CustomStringConvertible {
        var beforeAdvertising = 0
        var withoutTrace = 0
        var effects = 0
        var interrupted = 0
        var decided = 0

        var description: String {
            "\(beforeAdvertising) before the kiosk was on the air, \(withoutTrace) before the visit's intent, "
                + "\(effects) after a status byte or a gate pulse, \(interrupted) visits closed as interrupted, "
                + "\(decided) with what was decided"
        }
    }

    let air: Air
    let kiosk: KioskProcess
    private(set) var records: [KioskProcess.Record] = []
    private(set) var tally = Tally()
    private var lives = 0

    init(air: Air, kiosk: KioskProcess) {
        (self.air, self.kiosk) = (air, kiosk)
    }

    /// The moment of the kill: a delay after the start, or after an event in the kiosk's log.
    struct Moment: Sendable {
        let event: Text?
        let delay: Duration
    }

    /// Starts the kiosk, sends a phone as soon as an invitation exists, and kills the kiosk at `moment`, or
    /// ends it in an orderly way after the visit. Returns the duration of the run.
    mutating func live(_ visit: Air.Visit, until moment: Moment?) async throws -> Duration {
        lives += 1
        let id = "life-\(lives)"
        let start = kiosk.journal.position
        let began = ContinuousClock.now
        try kiosk.start()
        let isSent = try await onThread { [air, journal = kiosk.journal] in
            var isSent = false
            var end = moment.flatMap { $0.event == nil ? began + $0.delay : nil }
            while end.map({ ContinuousClock.now < $0 }) ?? true {
                if !isSent, let line = journal.events("advertising", from: start).first {
                    isSent = true
                    var visit = visit
                    visit.uri = line["uri"]?.string?.string ?? ""
                    try air.send(visit, id: id)
                }
                if end == nil, let moment, let event = moment.event, !journal.events(event, from: start).isEmpty {
                    end = ContinuousClock.now + moment.delay
                }
                if moment == nil, air.seen(by: id).outcome != nil { break }
                guard ContinuousClock.now - began < .seconds(60) else { throw PeerFailure("\(id) never ended") }
                usleep(1000)
            }
            return isSent
        }
        let life = ContinuousClock.now - began
        if moment == nil {
            #expect(try await kiosk.terminate() == .exit(0), "\(id)")
        } else {
            try await kiosk.killNow()
        }
        let phone = isSent ? try await air.result(of: id) : nil
        try await check(id, phone, log: Array(kiosk.journal.lines[start...]), isKilled: moment != nil)
        return life
    }

    /// Runs `body` on a thread of its own: other tests may occupy the threads of Swift's tasks for longer
    /// than a run lasts.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Compares the ledger with its content before this run and with the observations of this run.
    private mutating func check(_ id: String, _ phone: Air.Result?, log: [JSON], isKilled: Bool) async throws {
        let (intact, report) = try await kiosk.verifyLedger()
        // A kiosk that was killed before it created its ledger has none.
        if !intact, records.isEmpty, !log.contains(where: { $0["event"]?.string == "started" }) { return }
        #expect(intact, "\(id): \(report.compactText)")
        let now = try await kiosk.records()
        #expect(Set(now.map(\.visit)).count == now.count, "\(id): ids are unique")
        #expect(now.map(\.seq) == Array(1..<(now.count + 1)), "\(id): numbers have no gap")

        let recovered = log.contains { $0["event"]?.string == "started" }
        for (old, new) in zip(records, now) {
            #expect(old.seq == new.seq, "\(id): visit \(old.seq ?? 0) vanished")
            if old.result != nil {
                #expect(old == new, "\(id): visit \(old.seq ?? 0) changed")
            } else if new.result == "accepted" {
                // The visit was decided: the intent became a record under the visit's id.
                #expect(new.gateOpened == true, "\(id): visit \(old.seq ?? 0)")
                tally.decided += 1
            } else if new.result != nil {
                #expect(new.result == "interrupted" && new.visit == old.visit, "\(id): visit \(old.seq ?? 0)")
                tally.interrupted += 1
            } else {
                #expect(!recovered, "\(id): visit \(old.seq ?? 0) is still open")
            }
        }
        #expect(now.count >= records.count, "\(id): records vanished")

        let new = Array(now.dropFirst(records.count))
        let opened = log.contains { $0["event"]?.string == "gate" && $0["open"]?.bool == true }
        let status = phone?.status ?? []
        #expect(new.count <= 1, "\(id): one phone, one visit")
        #expect(status.allSatisfy { $0 == 0 }, "\(id): the credential is good")
        if opened || !status.isEmpty {
            #expect(new.count == 1, "\(id): an effect without a record")
            #expect(new.first?.result == nil || new.first?.result == "accepted", "\(id)")
        }
        if !isKilled {
            #expect(new.first?.result == "accepted", "\(id): \(phone?.lines.last?.compactText ?? "no phone")")
        }
        if isKilled {
            if phone == nil { tally.beforeAdvertising += 1 } else if new.isEmpty { tally.withoutTrace += 1 }
            if opened || !status.isEmpty { tally.effects += 1 }
        }
        records = now
    }
}

/// A small seeded generator (Steele, Lea, Flood: SplitMix64), so that a failing run can be repeated.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
