import Encoding
import Kiosk
import Simulation
import Testing

/// A phone that has read the code is served, whatever happens between reading and connecting, with
/// advertising sets and without.
@Suite struct RotationTests {
    private static let kinds: [PhoneTraits] = [.android14, .iPhone, .android13, .iPhone185]

    /// Returns a controller with `sets` advertising sets; with none it shows one advertisement at a time.
    static func controller(sets: Int) -> ControllerTraits {
        var controller = ControllerTraits()
        controller.advertisingSets = sets
        return controller
    }

    /// A phone reads the code at any moment of a rotation and starts its wallet up to 15 s later: it is
    /// served without reading the code again.
    @Test(arguments: [0, 2, 6], 0..<4) func whoHasReadTheCodeIsServed(sets: Int, part: Int) async throws {
        let seeds = sets == 2 ? 25 : 125
        var served = 0
        for number in part * seeds..<(part + 1) * seeds {
            await Task.yield()  // tests that run in real time share these threads
            var random = SplitMix64(seed: UInt64(number))
            var phone = Self.kinds[number % Self.kinds.count]
            phone.codeReading = .milliseconds(Int64.random(in: 0...15_000, using: &random))
            (phone.rereading, phone.patience) = (.seconds(3600), .seconds(60))
            phone.wallet.choosing = .milliseconds(100)
            let arrival = Duration.milliseconds(Int64.random(in: 40_000...100_000, using: &random))
            // In half of the runs another visitor uses up the code before.
            let before = Simulation.Visit.test(.iPhone, arrival: .at(arrival + phone.codeReading / 3))
            let visits = [.test(phone, arrival: .at(arrival))] + (number % 2 == 0 ? [] : [before])
            let gate = try TestGate(visits: visits, controller: Self.controller(sets: sets), seed: UInt64(number))
            #expect(gate.run())
            #expect(gate.phoneOutcomes[0] == .accepted, "number \(number)")
            if gate.phoneOutcomes[0] == .accepted { served += 1 }
            #expect(gate.breaches == [] && gate.violations == [])
        }
        print("read and started up to 15 s later, \(sets) sets, part \(part): \(served) of \(seeds) served")
    }

    /// A phone that has read the previous code connects while the newest is on the air, and the newest never
    /// leaves the air.
    @Test func thePreviousAddressStaysWithTheNewest() throws {
        var late = PhoneTraits.iPhone
        (late.codeReading, late.rereading) = (.seconds(8), .seconds(3600))
        let visits = [
            Simulation.Visit.test(late, arrival: .at(.seconds(1))), .test(.android14, arrival: .at(.seconds(2))),
        ]
        let gate = try TestGate(visits: visits, controller: Self.controller(sets: 6))
        #expect(gate.run(untilNote: "phone.identified"))
        gate.run(for: .milliseconds(10))
        #expect(gate.onAir.count == 2)
        #expect(gate.run())
        #expect(gate.phoneOutcomes == [0: .accepted, 1: .accepted])
        #expect(gate.breaches == [] && gate.violations == [])
    }

    /// Observes the air at every moment: an address has the same advertisement and scan response for its
    /// whole lifetime.
    @Test(arguments: [0, 2, 6]) func addressAndKeyAreNeverMixed(_ sets: Int) throws {
        for seed in 1...4 as ClosedRange<UInt64> {
            let visits = (0..<6).map { number in
                Simulation.Visit.test(Self.kinds[number % 4], arrival: .at(.milliseconds(1000 + 900 * number)))
            }
            let gate = try TestGate(visits: visits, controller: Self.controller(sets: sets), seed: seed)
            var known: [[UInt8]: Simulation.Advertiser] = [:]
            var most = 0
            for _ in 0..<6000 {
                gate.run(for: .milliseconds(5))
                most = max(most, gate.onAir.count)
                #expect(Set(gate.onAir.map(\.address.bytes)).count == gate.onAir.count)
                for advertiser in gate.onAir {
                    let first = known[advertiser.address.bytes] ?? advertiser
                    #expect(first == advertiser)
                    known[advertiser.address.bytes] = first
                }
            }
            #expect(sets == 6 ? most > 2 : most == max(1, sets))
            #expect(known.count > 3)
            let keys = known.values.compactMap { WalletScan.anyKey($0) }
            #expect(Set(keys).count == known.count)
            #expect(gate.phoneOutcomes.values.allSatisfy { $0 == .accepted } && gate.phoneOutcomes.count == 6)
            #expect(gate.breaches == [] && gate.violations == [])
        }
    }

    /// If a controller's advertising sets do not work as it reports, the kiosk does not use them.
    @Test(arguments: ["silent", "unnamed", "late"]) func setsThatDoNotWork(_ name: String) throws {
        var controller = Self.controller(sets: 4)
        switch name {
        case "silent": controller.silentCommands = [.leSetExtendedScanResponseData]
        case "unnamed": controller.namesAdvertisingSets = nil
        default: controller.namesAdvertisingSets = .milliseconds(60)
        }
        let visits = (0..<6).map { Simulation.Visit.test(Self.kinds[$0 % 4], arrival: .at(.seconds(1 + 8 * $0))) }
        let gate = try TestGate(visits: visits, controller: controller)
        #expect(gate.run())
        let accepted = gate.phoneOutcomes.values.count { $0 == .accepted }
        // Three phones are lost before the kiosk detects it.
        #expect(name == "unnamed" ? accepted >= 3 : accepted == 6)
        #expect(gate.counters.radioFailures == (name == "late" ? 0 : 1))
        #expect(gate.breaches == [] && gate.violations == [])
    }
}
