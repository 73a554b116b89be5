import Encoding
import Kiosk
import Synchronization
import Testing

@testable import Commissioning
@testable import Courier
@testable import GateService
@testable import Settings
@testable import TrustFiles

/// Edges on their way to the kiosk: in their order, and limited in number whatever an input does.
@Suite struct DoorInboxTests {
    private func edge(_ number: Int) -> DoorEvent {
        .edge(.request, isActive: number % 2 == 0, at: Instant(nanoseconds: Int64(number)))
    }

    private func taken(_ inbox: DoorInbox, until isDone: @escaping @Sendable ([DoorEvent]) -> Bool) async -> [DoorEvent]
    {
        let taken = Mutex([DoorEvent]())
        await withCheckedContinuation { continuation in
            let waiting = Mutex<CheckedContinuation<Void, Never>?>(continuation)
            inbox.connect { events in
                let all = taken.withLock { all in
                    all += events
                    return all
                }
                if isDone(all) { waiting.withLock { $0.take() }?.resume() }
            }
        }
        return taken.withLock { $0 }
    }

    @Test(.timeLimit(.minutes(10))) func whatComesBeforeAnybodyListensIsKeptInItsOrder() async {
        let inbox = DoorInbox()
        inbox.take([.order(.lock), .lines([.request: false])])
        inbox.take((0..<10).map(edge))
        let events = await taken(inbox) { $0.count == 12 }
        guard case .order(.lock) = events[0], case .lines = events[1] else { return #expect(Bool(false), "\(events)") }
        let times = events.compactMap { if case .edge(_, _, let at) = $0 { at.nanoseconds } else { nil } }
        #expect(times == Array(0..<10))
    }

    @Test(.timeLimit(.minutes(10))) func aFloodIsBoundedAndEndsWithTheLevels() async {
        let inbox = DoorInbox()
        inbox.take([.lines([.request: false])])
        for number in 0...100_000 { inbox.take([edge(number)]) }
        inbox.take([.order(.lock)])
        let events = await taken(inbox) { !$0.isEmpty }
        #expect(events.count <= DoorInbox.limit + 2, "\(events.count)")
        #expect(events.contains(.order(.lock)), "an order is never left out")
        guard case .lines(let levels)? = events.last else { return #expect(Bool(false), "no levels") }
        #expect(levels == [.request: true])
    }
}
