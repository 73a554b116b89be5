import Administration
package import Encoding
import LinuxIO
import ServiceLifecycle

/// Applies the schedule at intervals, and has the operator's orders kept.
package struct DoorService: ServiceLifecycle.Service {
    /// The time between two turns.
    package static let pause: Duration = .seconds(2)

    private let orders: DoorOrders
    private let hearing: TimedQuestion<Bool>

    /// Creates a service that calls `hear` with the present instant, to apply the schedule on the radio's
    /// thread; `hear` may hang.
    package init(_ orders: DoorOrders, hear: @escaping @Sendable (Instant) async -> Void) {
        self.orders = orders
        hearing = TimedQuestion {
            await hear(SystemClock.now())
            return true
        }
    }

    package func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                orders.turn(at: SystemClock.now())
                _ = await hearing.answer(within: Self.pause)
                try? await Task.sleep(for: Self.pause)
            }
        }
    }
}
