package import Clocks
import Encoding
package import Kiosk
import Synchronization

/// Passes events of the door from any thread to the gatekeeper, in their order. The queue is bounded, so that an
/// input that changes very fast cannot exhaust the memory.
package final class DoorInbox: Sendable {
    /// The maximum number of edges in the queue. Further edges are dropped, and the present levels of all inputs are
    /// delivered in their place.
    package static let limit = 256

    private struct State {
        var waiting: [DoorEvent] = []
        /// The level of each input after its last edge; nil while the inputs cannot be read.
        var levels: [DoorInput: Bool]?
        var isOverrun = false
        var isDelivering = false
        var deliver: (@Sendable ([DoorEvent]) async -> Void)?
    }

    private let spawner: Spawner
    private let state = Mutex(State())

    /// Creates an empty inbox that stores events until ``connect(_:)`` is called. `spawner` starts the task that
    /// delivers them.
    package init(spawner: Spawner) { self.spawner = spawner }

    /// Adds events to the queue. Does not wait for their delivery.
    package func take(_ events: [DoorEvent]) {
        let begins = state.withLock { state in
            for event in events { Self.add(event, to: &state) }
            return Self.begins(&state)
        }
        if begins { start() }
    }

    /// Delivers the queued events and all later events to `deliver`, one batch after the other.
    package func connect(_ deliver: @escaping @Sendable ([DoorEvent]) async -> Void) {
        let begins = state.withLock { state in
            state.deliver = deliver
            return Self.begins(&state)
        }
        if begins { start() }
    }

    private static func add(_ event: DoorEvent, to state: inout State) {
        switch event {
        case .lines(let levels): state.levels = levels
        case .linesLost: state.levels = nil
        case .edge(let input, let isActive, _):
            state.levels?[input] = isActive
            guard state.waiting.count < limit else {
                state.isOverrun = true
                return
            }
        case .order, .schedule, .opened: break
        }
        // Events that are not edges are rare: the second half of the queue, which edges cannot fill, is enough for
        // them.
        if state.waiting.count < 2 * limit { state.waiting.append(event) }
    }

    private static func begins(_ state: inout State) -> Bool {
        guard state.deliver != nil, !state.isDelivering, !state.waiting.isEmpty else { return false }
        state.isDelivering = true
        return true
    }

    private func start() {
        spawner.start("the delivery of events of the door") { [self] in
            while let (deliver, events) = next() { await deliver(events) }
        }
    }

    private func next() -> (deliver: @Sendable ([DoorEvent]) async -> Void, events: [DoorEvent])? {
        state.withLock { state in
            guard let deliver = state.deliver, !state.waiting.isEmpty else {
                state.isDelivering = false
                return nil
            }
            var events = state.waiting
            if state.isOverrun, let levels = state.levels { events.append(.lines(levels)) }
            (state.waiting, state.isOverrun) = ([], false)
            return (deliver, events)
        }
    }
}
