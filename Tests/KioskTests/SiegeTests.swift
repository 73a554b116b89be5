import Encoding
import Kiosk
import Ledger
import Reasons
import Simulation
import TestKit
import Testing
import Tuvali

/// Attackers cannot hold the gate: while phones keep a place or reconnect again and again, visitors are
/// served nearly as soon as without them.
///
/// Visitors arrive one after another, and four at once. The wait of each is compared with that of the same
/// phone alone.
@Suite struct SiegeTests {
    private static let kinds: [PhoneTraits] = [.android14, .iPhone, .android13, .iPhone185]
    private static let began = Duration.seconds(60)
    /// A payload that is not a credential.
    private static let nonsense = Array("{\"text\":\"\(String(repeating: "no credential ", count: 40))\"}".utf8)

    /// Besiegers at a gate, and the limits for the visitors' waits, as multiples of the wait alone.
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let sieges: [Siege]
        /// The limit for 95 % of the visitors, and the limit for all.
        var most = 2.0
        var longest = 4.0
        /// The besiegers' connection interval, in units of 1.25 ms; nil for that of an Android phone.
        var interval: UInt16?
        /// Whether their payload names an issuer that did not make it.
        var isForged = false

        init(_ count: Int, _ name: String, _ siege: Siege) {
            testDescription = "\(count) \(name)"
            sieges = [Siege](repeating: siege, count: count)
        }

        init(_ name: String, _ sieges: [Siege]) {
            testDescription = name
            self.sieges = sieges
        }

        func within(_ most: Double, _ longest: Double) -> Row {
            var row = self
            (row.most, row.longest) = (most, longest)
            return row
        }

        func forging() -> Row {
            var row = self
            row.isForged = true
            return row
        }

        func onSlowLinks() -> Row {
            var row = self
            row.interval = 100
            return row
        }
    }

    private static let drip = Siege.drips(every: .seconds(1))
    private static let slowDrip = Siege.drips(every: .seconds(20))
    private static let burst = Siege.bursts(chunks: 8, every: .seconds(20))

    static let rows: [Row] = [
        Row(8, "mute", .silent), Row(6, "that choose", .identified), Row(8, "that send a forgery", .shares).forging(),
        Row("eight of mixed kinds", [.silent, .storm, .identified, drip, slowDrip, .shares] + [.silent, .identified]),
        // There are more besiegers than places, so the result depends on chance.
        Row(12, "that choose", .identified).within(6, 9),
    ]

    static let moreRows: [Row] = [
        Row(1, "mute", .silent), Row(1, "that leave at once", .storm), Row(8, "that leave at once", .storm),
        Row(1, "that chooses", .identified), Row(4, "that choose", .identified),
        Row(8, "that choose", .identified).within(4, 5.5), Row(1, "that sends a chunk a second", drip),
        Row(8, "that send a chunk a second", drip).within(3, 4),
        Row(8, "that send a chunk in 20 s", slowDrip).within(2.5, 4),
        Row(8, "that send most and stop", burst).within(2.5, 4),
        Row(8, "that send most and stop, on slow links", burst).onSlowLinks(),
        Row(8, "that send a chunk a second, on slow links", drip).onSlowLinks().within(3, 4),
        Row(8, "that send nonsense", .shares),
        Row("all kinds", [.silent, .storm, .identified, drip, slowDrip, burst, .shares]),
        Row(10, "that choose", .identified).within(4.5, 7.5), Row(16, "that choose", .identified).within(12, 17),
    ]

    private func person(_ number: Int, at time: Duration) -> Simulation.Visit {
        var phone = Self.kinds[number % Self.kinds.count]
        (phone.patience, phone.wallet.choosing) = (.seconds(200), .seconds(5))
        return .test(phone, record: MisbehaviourTests.incompressible, arrival: .at(time))
    }

    private func honest(_ numbers: [Int]) -> [Simulation.Visit] { numbers.map { person($0, at: Self.began) } }

    private func besiegers(_ row: Row) -> [Simulation.Visit] {
        var phone = PhoneTraits.android14
        phone.patience = .seconds(200)
        if let interval = row.interval {
            (phone.parameters, phone.policy) = (ConnectionParameters(interval: interval, timeout: 600), .refuses)
        }
        return row.sieges.enumerated().map { number, siege in
            .test(
                phone, record: siege == .shares ? Self.nonsense : MisbehaviourTests.incompressible,
                arrival: .at(.milliseconds(1000 + 700 * number)), misbehaviour: .besieges(siege))
        }
    }

    /// The results of the visitors of a run, whose numbers are below `count`.
    private struct Ending {
        /// The time from arrival to the verdict on the phone; nil if there was none.
        var waits: [Duration?]
        /// The number of links that ended without a verdict.
        var dropped: Int
    }

    private func ending(of gate: TestGate, _ count: Int) -> Ending {
        var came = [Instant?](repeating: nil, count: count)
        var ending = Ending(waits: [Duration?](repeating: nil, count: count), dropped: 0)
        for (at, what) in gate.seen {
            guard case .phone(let number, let event) = what, number < count else { continue }
            switch event {
            case .arrived: came[number] = at
            case .wallet(.verdict(accepted: true)): ending.waits[number] = came[number]?.duration(to: at)
            case .disconnected: if ending.waits[number] == nil { ending.dropped += 1 }
            default: break
            }
        }
        return ending
    }

    /// Returns how long each kind of phone takes alone.
    private func alone() throws -> [Duration] {
        try (0..<Self.kinds.count).map { number in
            let gate = try TestGate(visits: honest([number]))
            #expect(gate.run())
            return try #require(ending(of: gate, 1).waits[0])
        }
    }

    private func play(_ people: [Simulation.Visit], beside row: Row, seed: UInt64) throws -> Ending {
        let gate = try TestGate(visits: people + besiegers(row), seed: seed)
        gate.nonsense = (Self.nonsense, row.isForged ? .test(.issuerUntrusted) : .test(.formatUnsupported, issuer: nil))
        _ = gate.run(limit: .seconds(202))
        #expect(gate.breaches == [], "seed \(seed)")
        return ending(of: gate, people.count)
    }

    @Test(arguments: rows) func visitorsAreServedDuringASiege(_ row: Row) throws { try check(row) }

    @Test(.tags(.nightly), arguments: moreRows) func visitorsAreServedDuringAnySiege(_ row: Row) throws {
        try check(row)
    }

    private func check(_ row: Row) throws {
        let alone = try alone()
        // Four visitors at once, and one every four seconds.
        let crowds = [honest([0, 1, 2, 3]), (0..<15).map { person($0, at: Self.began + .seconds(4 * $0)) }]
        var (factors, dropped): ([Double], Int) = ([], 0)
        for people in crowds {
            for seed in 1...3 as ClosedRange<UInt64> {
                let ending = try play(people, beside: row, seed: seed)
                dropped += ending.dropped
                for (number, wait) in ending.waits.enumerated() {
                    factors.append(try #require(wait, "person \(number), seed \(seed)") / alone[number % 4])
                }
            }
        }
        factors.sort()
        let (median, most) = (factors[factors.count / 2], factors[factors.count * 19 / 20])
        let longest = factors.last ?? 0
        func text(_ factor: Double) -> String { "\((factor * 100).rounded() / 100)" }
        print(
            "siege by \(row.testDescription): \(text(median)), \(text(most)), at most \(text(longest)) of the time alone"
        )
        #expect(most <= row.most && longest <= row.longest && dropped == 0)
    }

    private func squatters(_ count: Int) -> [Simulation.Visit] { besiegers(Row(count, "that choose", .identified)) }

    /// A transfer on a slow link that loses a third of its packets is not ended in favour of a waiting phone.
    @Test(arguments: [1, 2] as [UInt64]) func anHonestTransferIsNotCut(seed: UInt64) throws {
        var phones = [PhoneTraits.slow, .slow, .android13, .iPhone185]
        (phones[1].parameters, phones[1].packetsPerEvent) = (ConnectionParameters(interval: 100, timeout: 600), 4)
        phones[2].policy = .refuses
        for (number, var phone) in phones.enumerated() {
            (phone.loss, phone.wallet.choosing, phone.patience) = (0.3, .seconds(12), .seconds(300))
            var besieger = PhoneTraits.android14
            besieger.patience = .seconds(60)
            let record = MisbehaviourTests.incompressible
            let visits: [Simulation.Visit] = [
                .test(phone, record: record, arrival: .at(.seconds(1))),
                .test(besieger, record: record, arrival: .at(.seconds(12)), misbehaviour: .besieges(.silent)),
            ]
            let gate = try TestGate(visits: visits, seed: seed) { ($0.phones, $0.lobby) = (1, 0) }
            #expect(gate.run(limit: .seconds(400)))
            #expect(gate.phoneOutcomes[0] == .accepted && gate.counters.visits[.outcome(.failed)] == nil, "\(number)")
            #expect(gate.breaches == [])
        }
    }

    /// A visitor may choose for 25 seconds while no phone waits.
    @Test(arguments: [0, 5]) func aPersonMayChooseForLongWhileNoPhoneWaits(_ squatting: Int) throws {
        var phone = PhoneTraits.iPhone
        (phone.wallet.choosing, phone.patience) = (.seconds(25), .seconds(100))
        let gate = try TestGate(visits: [.test(phone, arrival: .at(Self.began))] + squatters(squatting))
        _ = gate.run(limit: .seconds(202))
        let ending = ending(of: gate, 1)
        #expect(ending.waits[0] != nil && ending.dropped == 0 && gate.breaches == [])
    }

    /// A phone that has been idle for longer than a visitor loses its place first, whatever supervision
    /// timeout it chose.
    @Test func aShortTimeoutDoesNotProtectAPlace() throws {
        var besieger = PhoneTraits.android14
        (besieger.patience, besieger.policy) = (.seconds(60), .refuses)
        besieger.parameters = ConnectionParameters(interval: 24, timeout: 100)
        let besiegers = (0..<5).map { _ in
            Simulation.Visit.test(besieger, arrival: .at(.seconds(1)), misbehaviour: .besieges(.identified))
        }
        var phone = PhoneTraits.android14
        (phone.wallet.choosing, phone.patience) = (.seconds(12), .seconds(60))
        let people: [Simulation.Visit] = [
            .test(phone, arrival: .at(.seconds(10))), .test(arrival: .at(.seconds(20))),
        ]
        let gate = try TestGate(visits: people + besiegers)
        _ = gate.run(limit: .seconds(61))
        let first = gate.seen.lazy.compactMap { entry -> Int? in
            guard entry.at > .zero.advanced(by: .seconds(20)), case .phone(let number, .disconnected) = entry.what
            else {
                return nil
            }
            return number
        }.first
        #expect(try #require(first) > 1 && gate.breaches == [])
    }

    /// A radio that can serve only one phone and does not report it: a chunk gives a phone more time there,
    /// too.
    @Test func aSlowTransferIsNotCutWhereOneIsServedAtATime() throws {
        var controller = ControllerTraits()
        (controller.advertisesWhileConnected, controller.unknownCommands) = (false, [.leReadSupportedStates])
        var phone = PhoneTraits.slow
        (phone.parameters, phone.packetsPerEvent) = (ConnectionParameters(interval: 100, timeout: 600), 4)
        (phone.loss, phone.patience) = (0.3, .seconds(100))
        let gate = try TestGate(
            visits: [.test(phone, record: MisbehaviourTests.incompressible, arrival: .at(.seconds(1)))],
            controller: controller)
        #expect(gate.run(limit: .seconds(110)))
        #expect(gate.phoneOutcomes[0] == .accepted && gate.breaches == [])
    }

    /// There are more visitors than places, and they take all the time that they may while others wait: each
    /// is served at the first attempt.
    @Test(arguments: [1, 2, 3] as [UInt64]) func aFullBoxIsNoSiege(seed: UInt64) throws {
        let people = (0..<16).map { number in
            var visit = person(number, at: .milliseconds(1000 + 700 * number))
            visit.phone.wallet.choosing = .milliseconds(7000 + 40 * number)
            return visit
        }
        let gate = try TestGate(visits: people, seed: seed)
        #expect(gate.run())
        #expect(gate.counters.visits == [.outcome(.accepted): 16] && gate.breaches == [])
    }

    /// Devices connect and leave, one after another, as fast as the controller is on the air again.
    @Test func aStormOfHundredsASecond() throws {
        var controller = ControllerTraits()
        controller.advertisingStart = .microseconds(400)
        var besieger = PhoneTraits.android14
        (besieger.patience, besieger.reaction, besieger.hearing) = (.seconds(70), .zero, 1)
        besieger.parameters = ConnectionParameters(interval: 6, timeout: 100)
        let besiegers = (0..<16).map { _ in
            Simulation.Visit.test(besieger, arrival: .at(.seconds(55)), misbehaviour: .besieges(.storm))
        }
        let gate = try TestGate(visits: honest([0, 1, 2, 3]) + besiegers, controller: controller)
        _ = gate.run(limit: .seconds(80))
        let calm = try TestGate(visits: honest([0, 1, 2, 3]), controller: controller)
        #expect(calm.run())
        let (served, alone) = (ending(of: gate, 4).waits, ending(of: calm, 4).waits)
        let connections = gate.seen.count { entry in
            if case .phone(4..., .connected) = entry.what { entry.at > .zero.advanced(by: Self.began) } else { false }
        }
        print("siege by \(connections / 20) connections a second: \(served), without \(alone)")
        #expect(connections / 20 >= 400)
        for number in 0..<4 {
            let most = try #require(alone[number]) * 2
            #expect(try #require(served[number]) <= most)
        }
        #expect(gate.breaches == [])
    }

    /// Formerly one device could hold the gate for 727.9 s, again and again: by silence, then choosing, then
    /// sending slowly.
    @Test func withOneLinkAtATimeNoPhoneStaysForLong() throws {
        var controller = ControllerTraits()
        controller.advertisesWhileConnected = false
        for (siege, limit) in [(Siege.silent, 6), (.identified, 35), (.drips(every: .seconds(20)), 15)] {
            var besieger = PhoneTraits.android14
            besieger.patience = .seconds(100)
            let visits = [
                .test(arrival: .at(.seconds(30))),
                Simulation.Visit.test(
                    besieger, record: MisbehaviourTests.incompressible, arrival: .at(.seconds(1)),
                    misbehaviour: .besieges(siege)),
            ]
            let gate = try TestGate(visits: visits, controller: controller)
            #expect(gate.run(limit: .seconds(300)))
            var since: Instant?
            for (at, what) in gate.seen {
                if case .phone(1, .connected) = what { since = at }
                if case .phone(1, .disconnected) = what, let began = since.take() {
                    #expect(began.duration(to: at) < .seconds(limit), "\(siege)")
                }
            }
            #expect(gate.breaches == [])
        }
    }
}
