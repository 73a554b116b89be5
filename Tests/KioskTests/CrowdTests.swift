import Encoding
import Kiosk
import Ledger
import Simulation
import Testing
import Tuvali

@testable import Credentials

/// Several phones at one gate: each has its own visit, verdict and pulse, and none waits while another
/// visitor chooses.
@Suite struct CrowdTests {
    private static let kinds: [PhoneTraits] = [.android14, .iPhone, .android13, .iPhone185]

    private func choosers(_ count: Int, choosing: Duration = .seconds(5)) -> [Simulation.Visit] {
        (0..<count).map { number in
            var phone = Self.kinds[number % Self.kinds.count]
            phone.wallet.choosing = choosing
            return .test(phone, arrival: .at(.milliseconds(1000 + 10 * number)))
        }
    }

    private func verdicts(_ gate: TestGate) -> [Instant] {
        gate.seen.compactMap { if case .kiosk(.decided) = $0.what { $0.at } else { nil } }
    }

    @Test func whileOneChoosesTheNextConnects() throws {
        let alone = try TestGate(visits: choosers(1))
        let four = try TestGate(visits: choosers(4))
        #expect(alone.run() && four.run())
        #expect(four.phoneOutcomes == [0: .accepted, 1: .accepted, 2: .accepted, 3: .accepted])
        #expect(four.outcomes.map(\.outcome.result) == [.accepted, .accepted, .accepted, .accepted])
        #expect(Set(four.outcomes.map(\.visit)).count == 4 && Set(four.intents).count == 4)
        #expect(four.gateChanges.map(\.open) == [true, false, true, false, true, false, true, false])
        let (first, last) = (try #require(verdicts(alone).first), try #require(verdicts(four).last))
        #expect(Instant.zero.duration(to: last) < Instant.zero.duration(to: first) * 2)
        #expect(four.breaches == [] && four.violations == [])
    }

    /// The verdicts are ready almost at once; the gate shows them one after another, each with its tone and
    /// pulse.
    @Test func oneVerdictOnePerson() throws {
        let gate = try TestGate(visits: choosers(4))
        gate.verificationTime = .milliseconds(300)
        #expect(gate.run())
        let times = verdicts(gate)
        #expect(times.count == 4)
        for (one, next) in zip(times, times.dropFirst()) { #expect(one.duration(to: next) >= .seconds(1)) }
        let waited = gate.kioskNotes.compactMap { if case .decided(_, _, _, let waited) = $0 { waited } else { nil } }
        #expect(waited.contains { $0 > .zero } && gate.notes.contains("verdict.waits"))
        let tones = gate.seen.count { entry in
            if case .signal(let signal, .accepted) = entry.what { signal.tone } else { false }
        }
        #expect(tones == 4)
        #expect(gate.breaches == [])
    }

    /// One visitor's pulse at a turnstile is not ended by another phone's broken transfer, nor early by
    /// another visitor's verdict.
    @Test func aFailedVisitDoesNotEndTheNextPulse() throws {
        let record = MisbehaviourTests.incompressible
        var slow = PhoneTraits.android14
        slow.wallet.choosing = .milliseconds(3500)
        let gate = try TestGate(visits: [
            .test(arrival: .at(.seconds(1))),
            .test(slow, record: record, arrival: .at(.seconds(1)), misbehaviour: .leaves(.chunk(3))),
        ]) { $0.gatePulse = .seconds(5) }
        #expect(gate.run())
        gate.run(for: .seconds(10))
        #expect(gate.outcomes.contains { $0.outcome.gate == .pulsed(milliseconds: 5000) })
        #expect(!gate.patterns.contains(.rejected))
        #expect(gate.counters.visits == [.outcome(.accepted): 1, .outcome(.failed): 1])
        #expect(gate.breaches == [])
    }

    /// A phone that only connects changes neither the displayed code nor the light.
    @Test func aConnectionAloneCostsNothing() throws {
        let gate = try TestGate(visits: [.test(arrival: .at(.seconds(1)), misbehaviour: .silent)])
        #expect(gate.run(untilNote: "phone.connected"))
        gate.run(for: .seconds(5))
        #expect(gate.status.phones == 1 && gate.invitations.count == 1 && gate.patterns == [.off, .ready])
        #expect(gate.run())
        #expect(gate.intents.isEmpty && gate.invitations.count == 1 && gate.breaches == [])
    }

    /// Controllers that cannot advertise during a connection, with and without reporting it, and controllers
    /// with few connections.
    @Test(arguments: ["told", "learned", "two"]) func asManyAsTheControllerAllows(_ name: String) throws {
        var controller = ControllerTraits()
        if name == "two" { controller.connections = 2 } else { controller.advertisesWhileConnected = false }
        if name == "learned" { controller.unknownCommands = [.leReadSupportedStates] }
        let visits = choosers(4).map { visit in
            var visit = visit
            visit.phone.patience = .seconds(300)
            return visit
        }
        let gate = try TestGate(visits: visits, controller: controller)
        #expect(gate.run())
        #expect(gate.phoneOutcomes.values.allSatisfy { $0 == .accepted } && gate.phoneOutcomes.count == 4)
        let limits = gate.kioskNotes.compactMap { if case .phonesLimited(let phones) = $0 { phones } else { nil } }
        #expect(limits == [name == "two" ? 2 : 1])
        #expect(gate.counters.radioFailures == 0 && gate.breaches == [] && gate.violations == [])
        #expect(gate.counters.linkResets == 0, "phones that leave in order need no reset")
    }

    /// A recorded visit that is replayed with the same key is not served, whatever the disk holds of the
    /// first visit.
    @Test func aWalletKeyIsTakenOnceForAnOffer() throws {
        let visits = [0, 1].map { Simulation.Visit.test(.iPhone, arrival: .at(.milliseconds(1000 + $0))) }
        let gate = try TestGate(visits: visits, haveOwnKeys: false)
        #expect(gate.run())
        #expect(gate.outcomes.count { $0.outcome.result == .accepted } == 1)
        #expect(gate.counters.visits == [.outcome(.accepted): 1, .outcome(.failed): 1])
        #expect(gate.outcomes.first?.outcome.reasons.last?.code == "transfer.identified-again")
        #expect(gate.breaches == [])
    }
}
