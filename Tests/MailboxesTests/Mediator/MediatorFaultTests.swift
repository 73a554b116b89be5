import DIDComm
import Encoding
import Mailboxes
import Simulation
import Testing

/// Mediators that refuse requests of one kind or do not answer them: the delivery of messages continues.
@Suite struct MediatorFaultTests {
    private static let fates = [MediatorHarness.Network.fails, .swallows]

    @Test(arguments: [false, true], fates)
    func anUpdateWithoutAnswerHoldsUpNoMessage(hasPickup: Bool, fate: MediatorHarness.Network) throws {
        let harness = try MediatorHarness(hasPickup: hasPickup)
        try harness.start()
        harness.run(for: .seconds(5))
        (harness.withheld, harness.withholding) = (.update, fate)
        let key = try #require(KeyPair(seed: Secret([UInt8](repeating: 77, count: 32))))
        harness.feed(.open(connection: "d", key: key))
        harness.agent.send(content: "one")
        harness.run(for: .seconds(120))
        harness.agent.send(content: "two")
        harness.run(for: .seconds(120))
        #expect(harness.messages == ["one", "two"] && harness.agent.mediation?.owners.count == 1)
        harness.withheld = nil
        harness.run(for: .seconds(120))
        #expect(harness.agent.mediation?.owners.count == 2 && !harness.neverRests)
    }

    @Test(arguments: fates) func aConfirmationWithoutAnswerHoldsUpNoMessage(fate: MediatorHarness.Network) throws {
        let harness = try MediatorHarness(hasPickup: true)
        try harness.start()
        harness.run(for: .seconds(5))
        (harness.withheld, harness.withholding) = (.received, fate)
        for content in ["one", "two", "three"] as [Text] {
            harness.agent.send(content: content)
            harness.run(for: .seconds(120))
        }
        #expect(harness.messages == ["one", "two", "three"])
        harness.withheld = nil
        harness.run(for: .seconds(120))
        #expect(harness.agent.mediation?.waiting == 0 && !harness.neverRests)
    }

    @Test(arguments: [false, true], fates)
    func aQueryWithoutAnswerHoldsUpNoKey(hasPickup: Bool, fate: MediatorHarness.Network) throws {
        let harness = try MediatorHarness(hasPickup: hasPickup)
        (harness.withheld, harness.withholding) = (.features, fate)
        try harness.start()
        harness.run(for: .seconds(120))
        // This mediator hands out messages by pickup only, if it speaks pickup.
        #expect(hasPickup ? harness.agent.mediation?.owners.isEmpty == false : harness.isComplete)
        #expect(!harness.neverRests)
    }
}
