package import Encoding
import LinuxIO
import ServiceLifecycle

/// Has the schedule heard again and again, and what was ordered kept.
package struct DoorService: ServiceLifecycle.Service {
    /// Between two looks.
    package static let pause: Duration = .seconds(2)

    private let orders: DoorOrders
    private let hearing: TimedQuestion<Bool>

    /// A service that has the radio's thread hear the schedule by `hear`, which is given the instant; it may hang.
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
