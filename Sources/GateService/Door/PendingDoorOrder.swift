package import Clocks
import Encoding
package import Kiosk
import LinuxIO
import Synchronization

/// An operator's order on its way to the radio's thread. That thread puts the order in force and passes it on
/// to be stored, both in one turn. So if several orders are given at the same time, the order that is in
/// force last is also the order on the disk.
package final class PendingDoorOrder: Sendable {
    private struct State {
        /// Whether the order may still be put in force.
        var isWanted = true
        /// Whether the radio's thread has begun to put the order in force.
        var isTaken = false
        /// The number of the order in ``DoorOrders``; nil: the order was not passed on yet.
        var number: Int?
    }

    private let order: DoorOrder
    private let kept: DoorOrderFile.Kept
    private let orders: DoorOrders
    private let clock: Clock
    private let state = Mutex(State())

    /// Creates a pending order and the form in which `orders` keeps it. `clock` measures how long that takes.
    package init(_ order: DoorOrder, keeping kept: DoorOrderFile.Kept, by orders: DoorOrders, clock: Clock) {
        (self.order, self.kept, self.orders, self.clock) = (order, kept, orders, clock)
    }

    /// Puts the order in force by `put` and then passes it on to be kept, unless it was given up before.
    /// Called on the radio's thread; does not block.
    package func carryOut(_ put: (DoorOrder) -> Void) {
        let isWanted = state.withLock { state in
            if state.isWanted { state.isTaken = true }
            return state.isWanted
        }
        guard isWanted else { return }
        put(order)
        let number = orders.set(kept)
        state.withLock { $0.number = number }
    }

    /// Gives the order up, because its caller no longer waits for it. Returns whether the order was not in
    /// force yet. Such an order never comes into force, because its caller would not be there to watch the
    /// gate. A lock-down is the exception: it is stored at once, and comes into force as soon as the radio's
    /// thread continues.
    package func giveUp() -> Bool {
        state.withLock { state in
            guard !state.isTaken else { return false }
            if order == .lock { state.number = orders.set(kept) } else { state.isWanted = false }
            return true
        }
    }

    /// Waits for at most `limit` and returns whether the order is on the disk.
    package func isKept(within limit: Duration) async -> Bool {
        let last = clock.now().advanced(by: limit)
        while clock.now() < last {
            if let number = state.withLock({ $0.number }), orders.hasKept(number) { return true }
            try? await clock.sleep(for: .milliseconds(10))
        }
        orders.turn(at: clock.now())
        return false
    }
}
