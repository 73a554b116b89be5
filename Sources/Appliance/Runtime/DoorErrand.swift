import Encoding
package import Kiosk
import LinuxIO
import Synchronization

/// An operator's order on its way to the radio's thread, which puts it in force and has it kept in one turn: of orders at the same time the
/// last one in force is the last one on the disk.
package final class DoorErrand: Sendable {
    private struct State {
        /// Whether it may still be put in force.
        var isWanted = true
        /// Whether that has begun.
        var isTaken = false
        /// By which ``DoorOrders`` know it, once it is to be kept.
        var number: Int?
    }

    private let order: DoorOrder
    private let kept: DoorOrderFile.Kept
    private let orders: DoorOrders
    private let state = Mutex(State())

    /// An order, and what of it is kept by `orders`.
    package init(_ order: DoorOrder, keeping kept: DoorOrderFile.Kept, by orders: DoorOrders) {
        (self.order, self.kept, self.orders) = (order, kept, orders)
    }

    /// Has it put in force by `put`, and kept afterwards; nothing where it was given up before. Called on the radio's thread; waits for
    /// nothing.
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

    /// Whoever gave it waits no longer for its being in force. Returns whether that had not begun: it never does then, as nobody would be
    /// there to watch. A lock-down is kept at once instead, and in force whenever the radio's thread goes on.
    package func giveUp() -> Bool {
        state.withLock { state in
            guard !state.isTaken else { return false }
            if order == .lock { state.number = orders.set(kept) } else { state.isWanted = false }
            return true
        }
    }

    /// Whether it is on the disk, as soon as it is, or within `limit`.
    package func isKept(within limit: Duration) async -> Bool {
        let last = SystemClock.now().advanced(by: limit)
        while SystemClock.now() < last {
            if let number = state.withLock({ $0.number }), orders.hasKept(number) { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        orders.turn(at: SystemClock.now())
        return false
    }
}
