import Encoding
import Kiosk
import Ledger
import Simulation
import Testing
import Tuvali

@testable import Credentials

/// Whatever the first visitor's phone does wrong, the next visitor is admitted.
@Suite struct MisbehaviourTests {
    static let phones: [String: PhoneTraits] = [
        "android13": .android13, "android14": .android14, "iPhone": .iPhone, "iPhone185": .iPhone185,
    ]
    static let steps: [VisitStep] = [.connected, .identified, .chosen, .chunk(3), .reportRequested, .delivered]
    static let misbehaviours: [Misbehaviour] =
        steps.flatMap { [.leaves($0), .vanishes($0)] } + [
            .silent, .lingers, .secondTransfer, .startsOver(times: 2), .startsOver(times: 9), .corruptsChunk(2),
            .losesEvery(3), .losesEvery(1),
            .garbage(packets: 200), .pairs,
        ]
    static let record = Array(("{\"text\":\"" + String(repeating: "0123456789abcdef", count: 500) + "\"}").utf8)

    /// A record that gzip hardly shortens, so that the transfer has many chunks.
    static let incompressible: [UInt8] = {
        var random = SplitMix64(seed: 5)
        return Array(("{\"text\":\"" + Hex.encode(random.bytes(4000)) + "\"}").utf8)
    }()

    @Test(arguments: phones.keys.sorted(), misbehaviours)
    func theNextVisitorIsLetIn(_ name: String, _ misbehaviour: Misbehaviour) throws {
        let phone = try #require(Self.phones[name])
        let gate = try TestGate(visits: [
            .test(phone, record: Self.incompressible, misbehaviour: misbehaviour), .test(phone),
        ])
        #expect(gate.run(limit: .seconds(300)))
        #expect(gate.phoneOutcomes[1] == .accepted)
        #expect(gate.outcomes.last?.outcome.result == .accepted)
        #expect(gate.violations == [])
        #expect(gate.breaches == [])
        #expect(gate.gateChanges.count.isMultiple(of: 2))
        // Every visit that began is recorded or counted, once.
        #expect(gate.counters.visits.values.reduce(0, +) == 2)
        #expect(Set(gate.outcomes.map(\.visit)).count == gate.outcomes.count)
        try check(misbehaviour, gate)
    }

    /// Checks the result of the first visit.
    private func check(_ misbehaviour: Misbehaviour, _ gate: TestGate) throws {
        let first = gate.outcomes.first { $0.visit != gate.outcomes.last?.visit }?.outcome
        switch misbehaviour {
        case .leaves(.connected), .leaves(.identified), .vanishes(.connected), .vanishes(.identified), .silent,
            .garbage:
            #expect(first == nil && gate.counters.visits[.abandoned] == 1)
        case .leaves(.chunk):
            #expect(first?.result == .failed)
            #expect(first?.reasons.map(\.code) == ["transfer.disconnected", "transfer.left-sending"])
            #expect(first?.gate == .shut && first?.credential == nil)
            #expect(first?.session?.chunks ?? 0 > 3)
        case .leaves(.chosen), .vanishes(.chosen), .vanishes(.chunk):
            // The last packets may or may not have been received.
            #expect(first == nil || first?.result == .failed && first?.gate == .shut && first?.credential == nil)
        case .leaves(.reportRequested), .vanishes(.reportRequested):
            #expect(first == nil || first?.result == .failed || first?.result == .accepted)
        case .leaves(.delivered), .vanishes(.delivered), .lingers, .corruptsChunk, .pairs, .secondTransfer, .startsOver:
            #expect(first?.result == .accepted)
        // A small transfer waits for its repair.
        case .losesEvery(1) where first?.session?.chunks ?? 0 > 10:
            #expect(first?.reasons.map(\.code) == ["transfer.TVV_TRA_002", "transfer.chunks-missing"])
        case .losesEvery: #expect(first?.session?.retries == 1)
        case .besieges: Issue.record("not one of these")
        }
        if case .corruptsChunk = misbehaviour {
            #expect(first?.session?.crcErrors == 1)
            #expect(first?.session?.retries == 1)
        }
    }

    /// Bytes that a wallet sends after a complete payload are ignored: the payload is judged once, the rest
    /// is not reported, and the record describes the transfer that was judged.
    @Test(arguments: [1, 2, 9]) func dataSentAfterAPayloadAreIgnored(_ times: Int) throws {
        let calm = try TestGate(visits: [.test(record: Self.incompressible)])
        #expect(calm.run())
        let gate = try TestGate(visits: [.test(record: Self.incompressible, misbehaviour: .startsOver(times: times))])
        #expect(gate.run())
        #expect(gate.outcomes.map(\.outcome.result) == [.accepted])
        #expect(gate.outcomes.first?.outcome.session?.chunks == calm.outcomes.first?.outcome.session?.chunks)
        let told = ["transfer.started", "transfer.received", "verdict", "visit.ended"]
        #expect(gate.notes.filter { told.contains($0) } == told)
        let judged = gate.notes.firstIndex(of: "transfer.received") ?? 0
        #expect(!gate.notes[judged...].contains("transfer.progress"))
        #expect(gate.phoneOutcomes[0] == (times < 3 ? .accepted : .dismissed))
        #expect(gate.gateChanges.count == 2 && gate.breaches == [])
    }

    @Test func aCrowdOfFifty() throws {
        var random = SplitMix64(seed: 50)
        let kinds = Self.phones.keys.sorted().compactMap { Self.phones[$0] }
        // The visitors arrive faster than the gate can serve them, and wait.
        let visits = (0..<50).map { number in
            var phone = kinds[number % kinds.count]
            phone.patience = .seconds(3600)
            let misbehaviour = number.isMultiple(of: 7) ? Self.misbehaviours[number / 7] : nil
            return Simulation.Visit.test(
                phone, arrival: .at(.milliseconds(Int64(random.next() % 60_000))), misbehaviour: misbehaviour)
        }
        let gate = try TestGate(visits: visits)
        #expect(gate.run(limit: .seconds(3600)))
        for (number, visit) in visits.enumerated() where visit.misbehaviour == nil {
            #expect(gate.phoneOutcomes[number] == .accepted, "visitor \(number)")
        }
        #expect(gate.violations == [])
        #expect(gate.breaches == [])
        #expect(Set(gate.outcomes.map(\.visit)).count == gate.outcomes.count)
    }

    @Test func everyVisitHasItsOwnKeyAddressAndId() throws {
        let gate = try TestGate(visits: (0..<12).map { _ in .test() })
        #expect(gate.run())
        #expect(gate.outcomes.count == 12)
        #expect(Set(gate.outcomes.map(\.visit)).count == 12)
        #expect(gate.invitations.count >= 13 && Set(gate.invitations).count == gate.invitations.count)
        // The previous advertisement continues in turns with the new one, from its own address.
        #expect(Set(gate.addresses).count == gate.invitations.count)
    }
}
