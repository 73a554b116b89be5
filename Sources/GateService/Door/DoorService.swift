import Administration
package import Clocks
package import Encoding
import LinuxIO
import ServiceLifecycle

/// Applies the door's schedule at intervals, and repeats failed writes of the operator's orders.
package struct DoorService: ServiceLifecycle.Service {
    /// The time between two calls of `hear`.
    package static let pause: Duration = .seconds(2)

    private let orders: DoorOrders
    private let hearing: TimedQuery<Bool>
    private let times: Periodic

    /// Creates a service that calls `hear` at intervals with the present instant. `hear` applies the schedule on the
    /// radio's thread, and may hang.
    package init(
        _ orders: DoorOrders, clock: Clock, spawner: Spawner, hear: @escaping @Sendable (Instant) async -> Void
    ) {
        self.orders = orders
        times = Periodic(every: Self.pause, by: clock)
        hearing = TimedQuery(by: clock, spawner) {
            await hear(clock.now())
            return true
        }
    }

    package func run() async {
        await cancelWhenGracefulShutdown {
            await times.run { now in
                orders.turn(at: now)
                _ = await hearing.answer(within: Self.pause)
            }
        }
    }
}
