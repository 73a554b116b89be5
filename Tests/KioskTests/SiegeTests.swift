import Encoding
import Kiosk
import Ledger
import Simulation
import Testing
import Tuvali

@testable import Credentials

/// Nobody holds the gate: with whoever keeps a place or comes again and again, each of four honest phones is served in at most
/// twice the time that it takes alone.
@Suite struct SiegeTests {
    private static let kinds: [PhoneTraits] = [.android14, .iPhone, .android13, .iPhone185]
    private static let began = Duration.seconds(60)

    static let sieges: [String: [Siege]] = [
        "one silent": [.silent], "six silent": [Siege](repeating: .silent, count: 6),
        "a storm": [.storm], "two storms": [.storm, .storm],
        "one identified": [.identified], "the slow one": [.drips(every: .seconds(20))],
        "two who send in advance": [Siege](repeating: .bursts(chunks: 8, every: .seconds(20)), count: 2),
        "8 who send in advance": [Siege](repeating: .bursts(chunks: 8, every: .seconds(20)), count: 8),
        "a drip each second": [.drips(every: .seconds(1))],
        "all kinds": [.silent, .storm, .silent],
        "6 identified": [Siege](repeating: .identified, count: 6),
        "6 slow ones": [Siege](repeating: .drips(every: .seconds(20)), count: 6),
        "8 slow ones": [Siege](repeating: .drips(every: .seconds(20)), count: 8),
        "8 drips a second": [Siege](repeating: .drips(every: .seconds(1)), count: 8),
        "8 storms": [Siege](repeating: .storm, count: 8),
        "8 silent": [Siege](repeating: .silent, count: 8),
    ]

    private func phone(_ number: Int) -> PhoneTraits {
        var phone = Self.kinds[number]
        phone.patience = .seconds(120)
        return phone
    }

    /// From coming to the verdict on the phone, for the honest ones.
    private func times(_ gate: TestGate, _ count: Int) throws -> [Duration] {
        try (0..<count).map { number in
            let told = gate.seen.first { entry in
                if case .phone(number, .wallet(.verdict(accepted: true))) = entry.what { true } else { false }
            }
            let came = gate.seen.first { if case .phone(number, .arrived) = $0.what { true } else { false } }
            return try #require(came).at.duration(to: try #require(told, "phone \(number)").at)
        }
    }

    private func honest(_ numbers: [Int]) -> [Simulation.Visit] {
        numbers.map { .test(phone($0), record: MisbehaviourTests.incompressible, arrival: .at(Self.began)) }
    }

    @Test(arguments: sieges.keys.sorted()) func everybodyIsServedInTwiceTheTime(_ name: String) throws {
        let alone = try (0..<4).map { number in
            let gate = try TestGate(visits: honest([number]))
            #expect(gate.run())
            return try times(gate, 1)[0]
        }
        var worst = 0.0
        let besieged = Self.sieges[name] ?? []
        for seed in 1...(besieged.count < 6 ? 4 : 2) as ClosedRange<UInt64> {
            var besieger = PhoneTraits.android14
            besieger.patience = .seconds(100)
            if besieged.contains(where: { if case .bursts = $0 { true } else { false } }) {
                // The slower the link, the more each chunk earns.
                (besieger.parameters, besieger.policy) = (ConnectionParameters(interval: 100, timeout: 600), .refuses)
            }
            let besiegers = besieged.enumerated().map { number, siege in
                Simulation.Visit.test(
                    besieger, record: MisbehaviourTests.incompressible, arrival: .at(.seconds(1 + number)),
                    misbehaviour: .besieges(siege))
            }
            let gate = try TestGate(visits: honest([0, 1, 2, 3]) + besiegers, seed: seed)
            #expect(gate.run(limit: .seconds(400)))
            let served = try times(gate, 4)
            for number in 0..<4 { worst = max(worst, served[number] / alone[number]) }
            #expect(gate.breaches == [], "seed \(seed)")
        }
        print("siege by \(name): at most \((worst * 100).rounded() / 100) of the time alone")
        // As many as there are links, on slow ones: nobody tells them from people with a bad link before they have been slow.
        #expect(worst <= (name == "8 who send in advance" ? 3 : 2))
    }

    private func squatters(_ count: Int) -> [Simulation.Visit] {
        var besieger = PhoneTraits.android14
        besieger.patience = .seconds(240)
        return (0..<count).map { number in
            .test(
                besieger, record: MisbehaviourTests.incompressible, arrival: .at(.seconds(1 + number)),
                misbehaviour: .besieges(.identified))
        }
    }

    /// More attackers who identify and choose for ever than there are links: nobody tells them from people who choose, so the gate
    /// is a lottery; but their kind has less time. Everybody is served all the same, and soon.
    @Test(arguments: [8, 12], [1, 2, 3] as [UInt64])
    func moreSquattersThanLinksAreALottery(_ count: Int, seed: UInt64) throws {
        var patient = honest([0, 1, 2, 3])
        for index in patient.indices { patient[index].phone.patience = .seconds(200) }
        let gate = try TestGate(visits: patient + squatters(count), seed: seed)
        _ = gate.run(limit: .seconds(241))
        let served = try times(gate, 4)
        print("siege by \(count) who choose for ever, seed \(seed): \(served)")
        #expect(served.allSatisfy { $0 < .seconds(25) } && gate.breaches == [])
    }

    /// A transfer that is slow because its link is, and loses a third of its packets, is not cut short for somebody who waits.
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
            #expect(gate.phoneOutcomes[0] == .accepted && gate.counters.visits["failed"] == nil, "\(number)")
            #expect(gate.breaches == [])
        }
    }

    /// Beside those who choose for ever, whoever takes nine seconds is served with a phone of their kind, and whoever takes
    /// 25 with one of another.
    @Test func slowChoosersAreServedInASiege() throws {
        var people = [PhoneTraits.android14, .iPhone]
        (people[0].wallet.choosing, people[1].wallet.choosing) = (.seconds(9), .seconds(25))
        let visits = people.map { phone in
            var phone = phone
            phone.patience = .seconds(200)
            return Simulation.Visit.test(phone, arrival: .at(Self.began))
        }
        let gate = try TestGate(visits: visits + squatters(10))
        _ = gate.run(limit: .seconds(241))
        let served = try times(gate, 2)
        let links = (0..<2).map { number in
            gate.seen.count { if case .phone(number, .connected) = $0.what { true } else { false } }
        }
        print("siege beside slow choosers: \(served), links \(links)")
        #expect(links == [1, 1] && gate.breaches == [])
    }

    /// A full house of people who take 25 seconds, all with phones of one kind: nobody is sent away for another.
    @Test func aHouseFullOfSlowChoosersIsNoSiege() throws {
        var phone = PhoneTraits.android14
        (phone.wallet.choosing, phone.patience) = (.seconds(25), .seconds(300))
        let gate = try TestGate(visits: (0..<16).map { .test(phone, arrival: .at(.milliseconds(1000 + 700 * $0))) })
        #expect(gate.run())
        #expect(gate.counters.visits == ["accepted": 16] && gate.breaches == [])
    }

    /// Devices that connect and leave, one after the other, as fast as a controller is on the air again.
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
        let (served, alone) = (try times(gate, 4), try times(calm, 4))
        let connections = gate.seen.count { entry in
            if case .phone(4..., .connected) = entry.what { entry.at > .zero.advanced(by: Self.began) } else { false }
        }
        print("siege by \(connections / 20) connections a second: \(served), without \(alone)")
        #expect(connections / 20 >= 400)
        for number in 0..<4 { #expect(served[number] <= alone[number] * 2) }
        #expect(gate.breaches == [])
    }

    /// One device took the gate for 727.9 s, again and again: silence, then choosing, then dripping.
    @Test func whereOneIsServedAtATimeNobodyStaysForLong() throws {
        var controller = ControllerTraits()
        controller.advertisesWhileConnected = false
        for (siege, limit) in [(Siege.silent, 5), (.identified, 35), (.drips(every: .seconds(20)), 15)] {
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
