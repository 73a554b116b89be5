import Encoding
import Kiosk
import Ledger
import Simulation
import Testing
import Tuvali

@testable import Credentials

/// A wallet that is dismissed learns this, however late its phone reports the loss of the link. The Android
/// wallet forgets the link 50 ms after Disconnect; if it has not learnt of the end by then, its user sees
/// "sharing…" permanently. Therefore Disconnect is never sent.
@Suite struct PartingTests {
    private static let times: [Duration] = [0, 45, 60, 100, 300, 500].map { .milliseconds($0) }

    /// Phones that need that long to disconnect by themselves and to report a lost link, with fast and slow
    /// links.
    private static let phones: [PhoneTraits] = times.flatMap { time in
        [PhoneTraits.android13, .android14, .iPhone].flatMap { traits in
            [PhoneTraits.ParameterPolicy.atLeast(12), .refuses].map { policy in
                var traits = traits
                (traits.disconnectTime, traits.lossTime, traits.policy) = (time, time, policy)
                traits.wallet.choosing = .milliseconds(500)
                return traits
            }
        }
    }

    private static let large: [UInt8] = {
        var random = SplitMix64(seed: 6)
        return Array(("{\"text\":\"" + Hex.encode(random.bytes(12_000)) + "\"}").utf8)
    }()

    private func expectParted(_ gate: TestGate, _ traits: PhoneTraits, _ visit: Int = 0) {
        #expect(gate.phoneOutcomes[visit] == .dismissed, "\(traits.wallet.platform), \(traits.disconnectTime)")
        #expect(gate.breaches == [])
    }

    /// Every chunk of a large transfer is lost: TVV_TRA_002.
    @Test func afterAFailedTransfer() throws {
        for traits in Self.phones {
            let gate = try TestGate(visits: [.test(traits, record: Self.large, misbehaviour: .losesEvery(1))])
            #expect(gate.run())
            expectParted(gate, traits)
            #expect(gate.outcomes.first?.outcome.reasons.first?.code == "transfer.TVV_TRA_002")
        }
    }

    @Test func afterChoosingForTooLong() throws {
        for var traits in Self.phones {
            traits.wallet.choosing = .seconds(60)
            let gate = try TestGate(visits: [.test(traits)]) { $0.tuvali.responseSizeLimit = .seconds(5) }
            #expect(gate.run())
            expectParted(gate, traits)
        }
    }

    /// A verification that never ends.
    @Test func afterNoVerdict() throws {
        for traits in Self.phones {
            let gate = try TestGate(visits: [.test(traits)])
            gate.verificationTime = .seconds(600)
            #expect(gate.run())
            expectParted(gate, traits)
        }
    }

    @Test func whenTheServiceStops() throws {
        for var traits in Self.phones {
            traits.wallet.choosing = .seconds(60)
            let gate = try TestGate(visits: [.test(traits)])
            #expect(gate.run(untilNote: "phone.identified"))
            gate.run(for: .seconds(2))
            gate.inject(.stop)
            gate.run(for: .seconds(10))
            expectParted(gate, traits)
        }
    }

    /// A visitor who chooses for a long time has to make room for the next phone.
    @Test func whenTheNextPhoneWaits() throws {
        for var traits in Self.phones {
            traits.wallet.choosing = .seconds(90)
            let gate = try TestGate(visits: [.test(traits), .test(arrival: .at(.seconds(35)))]) {
                ($0.phones, $0.lobby) = (1, 0)
            }
            #expect(gate.run())
            expectParted(gate, traits)
            #expect(gate.phoneOutcomes[1] == .accepted)
        }
    }

    /// An Android wallet no longer listens 50 ms after Disconnect.
    @Test func theWalletForgetsTheLink() {
        let traits = PhoneTraits.android13
        var session = WalletSession(
            manner: traits.wallet, submission: .sealing([0x7B, 0x7D], seed: 1),
            verifierKey: [UInt8](repeating: 9, count: 32))
        #expect(session.handle(.value(.disconnect, [1]), at: .zero).contains(.disconnect))
        #expect(session.deadline == Instant.zero.advanced(by: .milliseconds(50)))
        #expect(session.handle(.timer, at: Instant.zero.advanced(by: .milliseconds(50))) == [.close])
        #expect(session.handle(.value(.verificationStatus, [0]), at: Instant.zero.advanced(by: .seconds(1))) == [])
    }
}
