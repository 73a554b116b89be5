import Clocks
import Encoding
import Kiosk
import Synchronization
import Testing
import VirtualKit

@testable import GateService

/// Edges on their way to the kiosk: in their order, and limited in number whatever an input does.
@Suite struct DoorInboxTests {
    private func edge(_ number: Int) -> DoorEvent {
        .edge(.request, isActive: number % 2 == 0, at: Instant(nanoseconds: Int64(number)))
    }

    /// Returns what an inbox delivers that is connected after `fill` has filled it.
    private func taken(_ fill: @escaping @Sendable (DoorInbox) -> Void) throws -> [DoorEvent] {
        try VirtualTime.run { time in
            let inbox = DoorInbox(spawner: time.spawner)
            let taken = Mutex([DoorEvent]())
            fill(inbox)
            inbox.connect { events in taken.withLock { $0 += events } }
            // Time passes when nothing is left to do.
            try await time.clock.sleep(for: .milliseconds(1))
            return taken.withLock { $0 }
        }
    }

    @Test func eventsBeforeTheFirstReaderKeepTheirOrder() throws {
        let events = try taken { inbox in
            inbox.take([.order(.lock), .lines([.request: false])])
            inbox.take((0..<10).map(edge))
        }
        #expect(events.count == 12)
        guard case .order(.lock)? = events.first, case .lines? = events.dropFirst().first else {
            return #expect(Bool(false), "\(events)")
        }
        let times = events.compactMap { if case .edge(_, _, let at) = $0 { at.nanoseconds } else { nil } }
        #expect(times == Array(0..<10))
    }

    @Test func aFloodIsBoundedAndEndsWithTheLevels() throws {
        let events = try taken { inbox in
            inbox.take([.lines([.request: false])])
            for number in 0...100_000 { inbox.take([edge(number)]) }
            inbox.take([.order(.lock)])
        }
        #expect(events.count <= DoorInbox.limit + 2, "\(events.count)")
        #expect(events.contains(.order(.lock)), "an order is never left out")
        guard case .lines(let levels)? = events.last else { return #expect(Bool(false), "no levels") }
        #expect(levels == [.request: true])
    }
}
