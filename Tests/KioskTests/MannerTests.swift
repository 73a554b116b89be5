import BluetoothHost
import Encoding
import Simulation
import Testing

@testable import Kiosk

/// A device that comes again and again without identifying is served last, and its honest likes are served all the same.
@Suite struct MannerTests {
    private func manner(_ interval: UInt16) -> PeerManner {
        PeerManner(parameters: .init(interval: interval, latency: 0, supervisionTimeout: 500))
    }

    private func at(_ seconds: Int64) -> Instant { Instant.zero.advanced(by: .seconds(seconds)) }

    @Test func aMannerIsSuspectAfterAFewVisitsInVain() {
        var tally = MannerTally()
        for count in 1...4 {
            tally.vain(manner(24), at: at(0))
            #expect(tally.isSuspect(manner(24), at: at(0)) == (count == 4))
        }
        #expect(!tally.isSuspect(manner(39), at: at(0)))
        // It is forgotten, also while nobody comes.
        #expect(tally.isSuspect(manner(24), at: at(4)) && !tally.isSuspect(manner(24), at: at(5)))
        // However often it came.
        for _ in 0..<10_000 { tally.vain(manner(24), at: at(10)) }
        #expect(tally.isSuspect(manner(24), at: at(49)) && !tally.isSuspect(manner(24), at: at(55)))
        // Whoever of its kind is served speaks for it.
        for _ in 0..<3 { tally.served(manner(24), at: at(10)) }
        #expect(!tally.isSuspect(manner(24), at: at(10)))
    }

    @Test func whatIsRememberedIsBounded() {
        var tally = MannerTally()
        for _ in 0..<8 { tally.vain(manner(24), at: at(0)) }
        for interval in 100..<10_000 as Range<UInt16> { tally.vain(manner(interval), at: at(0)) }
        #expect(tally.isSuspect(manner(24), at: at(0)), "the worst is not pushed out by those who came once")
    }

    /// Devices that say nothing, and storm, in the manner of an Android phone, on a controller with few links: everybody who is
    /// honest is served, those of the same manner too, and nobody waits for more than twice the median.
    @Test(arguments: [3, 8], [1, 2, 3] as [UInt64]) func honestPhonesInAStorm(connections: Int, seed: UInt64) throws {
        var controller = ControllerTraits()
        controller.connections = connections
        let honest = (0..<8).map { number in
            var phone: PhoneTraits = number % 2 == 0 ? .android14 : .iPhone
            phone.patience = .seconds(120)
            return Simulation.Visit.test(phone, arrival: .at(.seconds(30 + 6 * number)))
        }
        let hostile = [Siege.silent, .storm, .silent, .silent, .storm, .silent].enumerated().map { number, siege in
            var phone = PhoneTraits.android14
            phone.patience = .seconds(100)
            return Simulation.Visit.test(phone, arrival: .at(.seconds(1 + number)), misbehaviour: .besieges(siege))
        }
        let gate = try TestGate(visits: honest + hostile, controller: controller, seed: seed)
        #expect(gate.run(limit: .seconds(400)))
        let waits = try (0..<8).map { number in
            func when(_ isMeant: (PhoneEvent) -> Bool) -> Instant? {
                gate.seen.first { if case .phone(number, let event) = $0.what { isMeant(event) } else { false } }?.at
            }
            let came = try #require(when { $0 == .arrived })
            return came.duration(to: try #require(when { $0 == .wallet(.verdict(accepted: true)) }, "phone \(number)"))
        }.sorted()
        print("storm, \(connections) links, seed \(seed): median \(waits[4]), longest \(waits[7])")
        #expect(waits[7] <= waits[4] * 2)
        #expect(gate.breaches == [])
    }
}
