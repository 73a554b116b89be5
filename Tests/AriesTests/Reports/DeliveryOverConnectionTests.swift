import Aries
import Encoding
import Simulation
import Testing

/// A real delivery over a real connection to a virtual agent.
@Suite struct DeliveryOverConnectionTests {
    private typealias Ledger = DeliveryHarness

    /// Delivers `count` entries; returns the delivery with its final cursor, and the harness with the agent.
    private func deliver(_ count: Int, keeps: Bool) throws -> (delivery: ReportDelivery, harness: Harness) {
        let harness = try Harness()
        if keeps { harness.agent.keeper = VirtualKeeper() }
        harness.feed(.start)
        var delivery = ReportDelivery(ReportSettings(), end: Ledger.point(count), confirmed: 0)
        var (events, seen): ([ReportDelivery.Event], Int) = ([.connected], harness.seen.count)
        while true {
            if events.isEmpty {
                guard delivery.confirmed < count, let deadline = delivery.deadline else { break }
                harness.now = max(harness.now, deadline)
                events = [.deadlineReached]
            }
            for action in delivery.handle(events.removeFirst(), at: harness.now) {
                switch action {
                case .read(let after, let limit, _, let reports):
                    let entries = (after + 1...max(after + 1, min(after + limit, count))).map(Ledger.entry)
                    events.append(
                        .entries(
                            entries.map {
                                ReportEntry(
                                    position: $0.position, hash: $0.hash, body: $0.body,
                                    report: reports ? $0.report : nil)
                            }))
                case .send(let message): harness.feed(.deliver(message))
                case .ping: harness.feed(.ping)
                default: break
                }
                events += harness.seen.dropFirst(seen).compactMap(Self.event)
                seen = harness.seen.count
            }
        }
        return (delivery, harness)
    }

    /// Returns the event of the delivery that corresponds to an action of the connection.
    private static func event(_ action: AgentConnection.Action) -> ReportDelivery.Event? {
        switch action {
        case .sent(let id): .sent(id)
        case .pinged(let id): .pinged(id)
        case .alive(let id): .pong(id)
        case .answered(.receipt(let point, _)): .receipt(point)
        case .answered(.head(let point, _)): .head(point)
        case .disclosed(let protocols): .disclosed(protocols)
        default: nil
        }
    }

    @Test func aKeeperGetsEntriesAndReceiptsThem() throws {
        let (delivery, harness) = try deliver(600, keeps: true)
        #expect(delivery.confirmed == 600 && delivery.way == .records)
        let kept = try #require(harness.agent.keeper?.ledgers[Ledger.ledger])
        #expect(kept.count == 600 && kept[600]?.hash == Ledger.hash(600))
        #expect(harness.agent.keeper?.repetitions == 0 && harness.agent.received.isEmpty)
    }

    @Test func anyOtherAgentGetsReportsAndAnswersPings() throws {
        let (delivery, harness) = try deliver(150, keeps: false)
        #expect(delivery.confirmed == 150 && delivery.way?.form == .single)
        #expect(harness.agent.received.count == 100 && harness.agent.repetitions == 0)
    }
}
