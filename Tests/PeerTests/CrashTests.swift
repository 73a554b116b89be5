import Encoding
import Foundation
import Testing

/// The plug is pulled at random moments of the real process's life; afterwards the ledger must account for everything that
/// anybody could have seen, and the cloud agent must hear of every visit under one id.
@Suite struct CrashTests {
    /// How often the process is killed.
    private let kills = ProcessInfo.processInfo.environment["GATEHOUSE_KILLS"].flatMap { Int($0) } ?? 50

    @Test(.timeLimit(.minutes(5)))
    func everythingSeenIsRecorded() async throws {
        let seed = ProcessInfo.processInfo.environment["GATEHOUSE_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...9999)
        var random = SplitMix(state: seed)
        let place = try Workplace("crash")
        guard let credential = try Credential(place) else { return place.remove() }
        let agent = try CloudAgent(version: "0.12.8", place)
        try await agent.command("start")
        let invitation = try place.write("invitation", try await agent.command("invite")["url"]?.string?.string ?? "")
        let air = try await Air(place)
        let kiosk = try KioskProcess(place, air: air, trust: credential.trust, invitation: invitation)
        var crash = Crash(air: air, kiosk: kiosk)

        // Lives that nobody cuts short say how long a life is. A quick phone shows the moments about the verdict, a slow one
        // those in the middle of a transfer.
        let phones = [
            Air.Visit(uri: "", payload: credential.genuine, settle: 0.05),
            Air.Visit(uri: "", payload: credential.genuine, manner: "ios", mtu: 100),
        ]
        var lives: [Duration] = []
        for phone in phones { lives.append(try await crash.live(phone, killAt: nil)) }
        for number in 0..<kills {
            let moment = lives[number % 2] * Double.random(in: 0...1.05, using: &random)
            _ = try await crash.live(phones[number % 2], killAt: moment)
        }
        _ = try await crash.live(phones[0], killAt: nil)

        print("crash test: \(kills) kills, seed \(seed), lives \(lives); \(crash.tally)")
        let records = crash.records
        #expect(records.allSatisfy { $0.result != nil }, "after an ordinary end no intent is open")
        let reports = try await agent.reports(count: records.count, within: .seconds(60))
        let told = Dictionary(grouping: reports, by: { $0.content["seq"]?.int })
        #expect(reports.count == records.count, "one report for each visit, under one id")
        for record in records {
            #expect(told[record.seq]?.first?.id == record.visit)
            #expect(told[record.seq]?.first?.content["result"]?.string == record.result)
        }
        #expect(crash.tally.effects > kills / 10, "the kills came too early to show anything")
        #expect(crash.tally.interrupted > 0, "no kill hit a visit between its intent and its outcome")
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

        var description: String {
            "\(beforeAdvertising) before the kiosk was on the air, \(withoutTrace) before the visit's intent, "
                + "\(effects) after a status byte or a gate pulse, \(interrupted) visits closed as interrupted"
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

    /// Starts the kiosk, sends a phone as soon as there is an invitation, and kills the kiosk that long after its start (or ends
    /// it in order after the visit). Returns how long it took.
    mutating func live(_ visit: Air.Visit, killAt moment: Duration?) async throws -> Duration {
        lives += 1
        let id = "life-\(lives)"
        let start = kiosk.journal.position
        let began = ContinuousClock.now
        try kiosk.start()
        var isSent = false
        while moment.map({ ContinuousClock.now - began < $0 }) ?? true {
            if !isSent, let line = kiosk.journal.events("advertising", from: start).first {
                isSent = true
                var visit = visit
                visit.uri = line["uri"]?.string?.string ?? ""
                try air.send(visit, id: id)
            }
            if moment == nil, air.seen(by: id).outcome != nil { break }
            guard ContinuousClock.now - began < .seconds(30) else { throw PeerFailure("\(id) never ended") }
            try await Task.sleep(for: .milliseconds(2))
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
            #expect(old.visit == new.visit && old.seq == new.seq, "\(id): visit \(old.seq ?? 0) vanished")
            if old.result != nil {
                #expect(old == new, "\(id): visit \(old.seq ?? 0) changed")
            } else if new.result != nil {
                #expect(new.result == "interrupted", "\(id): visit \(old.seq ?? 0)")
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
