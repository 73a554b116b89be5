import Credentials
import Encoding
import Reasons
import Simulation
import Testing
import Tuvali

@testable import BluetoothHost
@testable import Kiosk

/// Wallets of both generations at one gate, with one code for both; only if the operator enables both.
@Suite struct GenerationTests {
    private static let both: [PhoneTraits] = [
        .android13.before, .android14, .iPhone.before, .iPhone, .iPhone185.before, .iPhone185, .android14.before,
    ]

    private static func gate(
        _ visits: [Simulation.Visit], sets: Int = 0, _ generations: [Generation] = [.b, .a]
    ) throws -> TestGate {
        try TestGate(visits: visits, controller: RotationTests.controller(sets: sets), seed: UInt64(sets + 3)) {
            $0.generations = generations
        }
    }

    /// Wallets arrive one after another or overlap, with advertisements in turns or in parallel: they are
    /// accepted and rejected, with and without lost chunks.
    @Test(arguments: [0, 1, 2, 6], [40, 2]) func walletsOfBothAreServed(sets: Int, apart: Int) throws {
        for (isAccepted, verdict) in [(true, Verdict.test(.ok)), (false, Verdict.test(.proofInvalid))] {
            let visits = Self.both.enumerated().map { number, phone in
                Simulation.Visit.test(
                    phone, record: [UInt8](repeating: 0x61, count: 20_000), arrival: .at(.seconds(5 + apart * number)),
                    misbehaviour: number % 3 == 0 ? .losesEvery(2) : nil)
            }
            let gate = try Self.gate(visits, sets: sets)
            gate.verdict = verdict
            #expect(gate.run())
            let outcomes = (0..<visits.count).map { gate.phoneOutcomes[$0] }
            #expect(outcomes.allSatisfy { $0 == (isAccepted ? .accepted : .rejected) }, "\(outcomes)")
            #expect(Set(gate.statusBytes) == [isAccepted ? 0 : 1])
            #expect(gate.payloads.count == visits.count)
            #expect(gate.breaches == [] && gate.violations == [])
        }
    }

    /// A wallet of a generation that is not served finds no gate and does not disturb the others.
    @Test(arguments: [0, 6]) func aWalletOfAnotherGenerationFindsNoGate(sets: Int) throws {
        for generation in Generation.allCases {
            let gate = try Self.gate(
                Self.both.enumerated().map { .test($1, arrival: .at(.seconds(5 + $0))) }, sets: sets, [generation])
            #expect(gate.run())
            for (number, phone) in Self.both.enumerated() {
                let isServed = (phone.wallet.generation == .b) == (generation == .b)
                #expect(gate.phoneOutcomes[number] == (isServed ? .accepted : .left))
                let found = gate.seen.contains {
                    if case .phone(number, .found) = $0.what { true } else { false }
                }
                #expect(found == isServed)
            }
            #expect(gate.breaches == [] && gate.violations == [])
        }
    }

    /// Observes the air at every moment: each key has two addresses, one for each generation, and no address
    /// ever has the other's payloads.
    @Test(arguments: [0, 2, 6]) func eachKeyHasTwoAdvertisements(sets: Int) throws {
        let visits = (0..<6).map { Simulation.Visit.test(Self.both[$0], arrival: .at(.milliseconds(1000 + 900 * $0))) }
        let gate = try Self.gate(visits, sets: sets)
        var known: [[UInt8]: Simulation.Advertiser] = [:]
        for _ in 0..<6000 {
            gate.run(for: .milliseconds(5))
            for advertiser in gate.onAir {
                #expect(known[advertiser.address.bytes, default: advertiser] == advertiser)
                known[advertiser.address.bytes] = advertiser
            }
        }
        let keys = WalletGeneration.allCases.map { generation in
            known.values.compactMap { WalletScan.anyKey($0, generation) }
        }
        #expect(keys[0].count == keys[1].count && keys[0].count + keys[1].count == known.count)
        #expect(Set(keys[0]) == Set(keys[1]) && Set(keys[0]).count == keys[0].count && keys[0].count > 3)
        #expect(gate.phoneOutcomes.values.allSatisfy { $0 == .accepted } && gate.phoneOutcomes.count == 6)
        // Both contain the same key as the displayed code.
        #expect(gate.invitations.count >= keys[0].count)
    }

    // MARK: - The table

    /// Returns every attribute as handle, type and value.
    private static func table(_ generations: [Generation]) throws -> [String] {
        var settings = KioskSettings(name: try Identifier("TestGate"), softwareVersion: "test")
        settings.generations = generations
        let host = Host(configuration: settings.hostConfiguration, services: settings.services)
        return host.database.attributes.map { attribute in
            let value =
                if case .declaration(let bytes) = attribute.content { Hex.encode(bytes) } else { "-" }
            return "\(attribute.handle)-\(attribute.groupEnd) \(Hex.encode(attribute.type.littleEndian)) \(value)"
        }
    }

    /// Phones know the handles of generation B: these stay the same, with or without the other service after
    /// them.
    @Test func theOtherServiceFollowsInTheTable() throws {
        #expect(KioskSettings(name: try Identifier("TestGate"), softwareVersion: "test").generations == [.b])
        let (one, both) = (try Self.table([.b]), try Self.table([.b, .a]))
        let tail = "773a0f45f2d60e9e4a442650"
        #expect(
            one[9...] == [
                "10-33 0028 0100", "11-12 0328 0c0c00\(tail)06000000", "12-12 \(tail)06000000 -",
                "13-15 0328 220e00\(tail)04000000", "14-14 \(tail)04000000 -", "15-15 0229 -",
                "16-18 0328 221100\(tail)05000000", "17-17 \(tail)05000000 -", "18-18 0229 -",
                "19-20 0328 0c1400\(tail)07000000", "20-20 \(tail)07000000 -",
                "21-22 0328 0c1600\(tail)08000000", "22-22 \(tail)08000000 -",
                "23-24 0328 0c1800\(tail)09000000", "24-24 \(tail)09000000 -",
                "25-27 0328 201a00\(tail)0a000000", "26-26 \(tail)0a000000 -", "27-27 0229 -",
                "28-30 0328 201d003720", "29-29 3720 -", "30-30 0229 -",
                "31-33 0328 202000\(tail)0b000000", "32-32 \(tail)0b000000 -", "33-33 0229 -",
            ])
        #expect(both.prefix(33) == one[...])
        #expect(
            both[33...] == [
                "34-57 0028 29ab", "35-36 0328 0c24003020", "36-36 3020 -",
                "37-39 0328 2226003120", "38-38 3120 -", "39-39 0229 -",
                "40-42 0328 2229003220", "41-41 3220 -", "42-42 0229 -",
                "43-44 0328 0c2c003320", "44-44 3320 -", "45-46 0328 0c2e003420", "46-46 3420 -",
                "47-48 0328 0c30003520", "48-48 3520 -",
                "49-51 0328 2032003620", "50-50 3620 -", "51-51 0229 -",
                "52-54 0328 2035003720", "53-53 3720 -", "54-54 0229 -",
                "55-57 0328 2038003820", "56-56 3820 -", "57-57 0229 -",
            ])
    }

    // MARK: - Phones that mix the generations

    /// The handles of Identify in the two services.
    private static let identify: [UInt8] = [12, 36]

    /// A phone that connected through generation B's advertisement: its writes as handle and length, its MTU,
    /// and whether its link is dropped because of an MTU that is too small or an invalid key.
    @Test(
        arguments: [
            // Without a write, the link is dropped for its MTU: the service of the advertisement counts.
            ([], 66, true),
            // An invalid key is written to either service.
            ([(identify[0], 44)], 517, true), ([(identify[1], 44)], 517, true),
            // First a write that is ignored, then the invalid key: it counts at the same service, and not at
            // the other.
            ([(identify[0], 1), (identify[0], 44)], 517, true), ([(identify[1], 1), (identify[1], 44)], 517, true),
            ([(identify[0], 1), (identify[1], 44)], 517, false), ([(identify[1], 1), (identify[0], 44)], 517, false),
            ([(identify[1], 1), (identify[0], 44), (identify[1], 44)], 517, true),
        ] as [([(UInt8, Int)], UInt16, Bool)])
    func theFirstWriteChoosesTheService(writes: [(UInt8, Int)], mtu: UInt16, isDropped: Bool) throws {
        let recording = try RecordedVisit(.android14, record: Array("{}".utf8))
        var gate = try ReplayGate([recording], seed: 1, generations: [.b, .a])
        let isReady = gate.passUntilReady(limit: .seconds(300))
        #expect(isReady)
        gate.heard = []
        func packet(_ pdu: [UInt8]) -> [UInt8] {
            let count = UInt8(pdu.count)
            return [2, 0x40, 0x20, count + 4, 0, count, 0, 4, 0] + pdu
        }
        let phone: [UInt8] = [4, 0x3E, 19, 1, 0, 0x40, 0, 1, 1, 1, 2, 3, 4, 5, 0x46, 24, 0, 0, 0, 72, 0, 0]
        let exchange = packet([0x02, UInt8(mtu & 0xFF), UInt8(mtu >> 8)])
        let commands = writes.map { packet([0x52, $0.0, 0] + [UInt8](repeating: 0, count: $0.1)) }
        gate.play(([phone, exchange] + commands).enumerated().map { (.milliseconds(5 * $0.offset), $0.element) })
        #expect((gate.disconnections == 1) == isDropped)
        #expect((gate.heard ?? []).allSatisfy { $0.count <= 12 || $0[9] != 0x1B }, "nothing is notified")
        #expect(gate.troubles == [] && gate.breaches == [])
    }
}
