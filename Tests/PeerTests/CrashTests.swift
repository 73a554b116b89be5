import Encoding
import Foundation
import TestKit
import Testing

/// The plug is pulled at random moments of the real process's life; afterwards the ledger must account for everything that
/// anybody could have seen, and the cloud agent must hear of every visit under one id.
@Suite(.tags(.realTime)) struct CrashTests {
    /// How often the process is killed.
    private let kills =
        ProcessInfo.processInfo.environment["GATEHOUSE_KILLS"].flatMap { Int($0) } ?? (PeerRun.isThorough ? 50 : 25)

    @Test(.timeLimit(.minutes(8)))
    func everythingSeenIsRecorded() async throws {
        let seed = ProcessInfo.processInfo.environment["GATEHOUSE_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...9999)
        var random = SplitMix(state: seed)
        // In memory: a process that is killed loses nothing that it has written, wherever that is.
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

        // A quick phone shows the moments about the verdict, a slow one those in the middle of a transfer.
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
                // The way to the verdict takes a slow machine longer: every other time behind the gate.
                let event: Text = number.isMultiple(of: 2) ? "transfer.started" : "gate"
                _ = try await crash.live(quick, until: .init(event: event, delay: .milliseconds(60) * share))
            }
        }
        _ = try await crash.live(quick, until: nil)

        print("crash test: \(kills) kills, seed \(seed), a life of \(life); \(crash.tally)")
        let records = crash.records
        #expect(records.allSatisfy { $0.result != nil }, "after an ordinary end no intent is open")
        // What the agent has heard before an end is not promised; one more life goes on until it has heard of everything.
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

/// The lives of one kiosk on one ledger, with one phone in each.
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

    /// When the plug is pulled: that long after the start, or after the event in the kiosk's log.
    struct Moment: Sendable {
        let event: Text?
        let delay: Duration
    }

    /// Starts the kiosk, sends a phone as soon as there is an invitation, and kills the kiosk at `moment`, or ends it in order
    /// after the visit. Returns how long it lived.
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

    /// Runs `body` on a thread of its own: other tests may keep those of Swift's tasks busy for longer than a life takes.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Compares the ledger with what was there before and with what was seen in this life.
    private mutating func check(_ id: String, _ phone: Air.Result?, log: [JSON], isKilled: Bool) async throws {
        let (intact, report) = try await kiosk.verifyLedger()
        // A kiosk killed before it made its ledger has none.
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
                // What was decided: the intent goes on under the visit's id.
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
