import Credentials
package import Encoding
package import Kiosk
import LinuxIO
import ServiceLifecycle

/// Says what the schedule says, again and again: its word is a lease, so that a schedule that nobody watches any more opens no gate.
package struct DoorService: ServiceLifecycle.Service {
    /// Between two looks.
    package static let pause: Duration = .seconds(2)

    private let schedule: DoorSchedule
    private let orders: DoorOrders
    private let wallTime: @Sendable () -> WallTime
    private let minimum: @Sendable () -> WallTime.Provenance
    private let tell: @Sendable (DoorEvent) -> Void
    private let report: HealthReporter

    /// A service for that schedule. `minimum`: what a date must be worth at the moment.
    package init(
        _ schedule: DoorSchedule, orders: DoorOrders, wallTime: @escaping @Sendable () -> WallTime,
        minimum: @escaping @Sendable () -> WallTime.Provenance, tell: @escaping @Sendable (DoorEvent) -> Void,
        report: @escaping HealthReporter
    ) {
        (self.schedule, self.orders, self.wallTime, self.minimum) = (schedule, orders, wallTime, minimum)
        (self.tell, self.report) = (tell, report)
    }

    package func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                turn(at: SystemClock.now())
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    /// One look at date and schedule.
    package func turn(at now: Instant) {
        orders.turn(at: now)
        guard !schedule.entries.isEmpty else { return }
        let mode = schedule.mode(at: wallTime(), minimum: minimum())
        report(mode == nil ? .present(.doorSchedule) : .over(.doorSchedule))
        tell(.schedule(mode ?? .normal, until: now.advanced(by: DoorSettings.scheduleLease)))
    }
}
