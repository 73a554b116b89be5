package import Clocks
import Encoding
package import Kiosk
import LinuxIO
import Synchronization

/// An operator's order that waits for the radio's thread. In one turn that thread puts the order in force and passes
/// it on for storage. Therefore, if several operators give orders at the same time, the order that took effect last
/// is also the stored one.
package final class PendingDoorOrder: Sendable {
    private struct State {
        /// Whether the order may still take effect; false after its caller has given it up.
        var isWanted = true
        /// Whether the radio's thread has begun to put the order in force.
        var isTaken = false
        /// The number of the order in ``DoorOrders``; nil until the order has been passed on for storage.
        var number: Int?
    }

    private let order: DoorOrder
    private let kept: DoorOrderFile.Kept
    private let orders: DoorOrders
    private let clock: Clock
    private let state = Mutex(State())

    /// Creates an order that has not taken effect yet. `kept` is the form in which `orders` stores it. `clock`
    /// measures how long the storage takes.
    package init(_ order: DoorOrder, keeping kept: DoorOrderFile.Kept, by orders: DoorOrders, clock: Clock) {
        (self.order, self.kept, self.orders, self.clock) = (order, kept, orders, clock)
    }

    /// Puts the order in force with `put` and then passes it on for storage. Does nothing if the order was given up
    /// before. Called on the radio's thread; does not block.
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

    /// Gives the order up, because its caller no longer waits for it. Returns false if the order has already taken
    /// effect, otherwise true. An order that was given up never takes effect, because the caller no longer watches
    /// the gate. Only a lock-down still does: it is stored at once, and takes effect as soon as the radio's thread
    /// continues.
    package func giveUp() -> Bool {
        state.withLock { state in
            guard !state.isTaken else { return false }
            if order == .lock { state.number = orders.set(kept) } else { state.isWanted = false }
            return true
        }
    }

    /// Waits until the order has been stored, for at most `limit`. Returns whether it has been stored.
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
