import Encoding
import Kiosk
import Ledger
import Reasons
import Simulation
import Testing
import Tuvali

/// Whole visits: the real kiosk, host and protocol against virtual phones.
@Suite struct VisitTests {
    @Test(arguments: ["android13", "android14", "iPhone", "iPhone185"])
    func anAcceptedVisit(_ name: String) throws {
        let phones: [String: PhoneTraits] = [
            "android13": .android13, "android14": .android14, "iPhone": .iPhone, "iPhone185": .iPhone185,
        ]
        let record = Array(("{\"text\":\"" + String(repeating: "claims ", count: 2000) + "\"}").utf8)
        let gate = try TestGate(visits: [.test(try #require(phones[name]), record: record)])
        #expect(gate.run())
        #expect(gate.phoneOutcomes == [0: .accepted])
        #expect(gate.payloads == [record])
        #expect(gate.intents.count == 1)
        #expect(gate.outcomes.map(\.outcome.result) == [.accepted])
        #expect(gate.gateChanges.map(\.open) == [true, false])
        #expect(gate.patterns.contains(.accepted))
        #expect(!gate.patterns.contains(.rejected))
        #expect(gate.violations == [])
        #expect(gate.breaches == [] && gate.statusBytes.contains(0))
    }

    @Test func aRejectedVisitKeepsTheGateShut() throws {
        let gate = try TestGate(visits: [.test()])
        gate.verdict = .test(.proofInvalid)
        #expect(gate.run())
        #expect(gate.phoneOutcomes == [0: .rejected])
        #expect(gate.outcomes.map(\.outcome.result) == [.rejected])
        #expect(gate.outcomes.first?.outcome.reasons.map(\.code) == ["proof.invalid"])
        #expect(gate.gateChanges.isEmpty)
        #expect(gate.patterns.contains(.rejected))
        #expect(!gate.patterns.contains(.accepted))
        #expect(gate.breaches == [] && gate.statusBytes.contains(1))
    }
}
