package import Clocks
package import Encoding
package import Kiosk
import LinuxIO
package import Reasons
import ServiceLifecycle

/// Reports a fault for each counter that grows. The fault ends when the counter has stayed the same for ``rest``.
package struct CounterWatch: Sendable {
    /// A counter, and the fault that is reported when the counter grows.
    package struct Counter: Sendable {
        let code: ReasonCode
        let read: @Sendable () -> Int

        /// Creates a counter whose value `read` returns. The fault `code` is reported when the counter grows.
        package init(_ code: ReasonCode, _ read: @escaping @Sendable () -> Int) {
            (self.code, self.read) = (code, read)
        }
    }

    /// How long a counter must stay the same before its fault is over.
    package static let rest: Duration = .seconds(60)

    private let counters: [Counter]
    private let report: HealthReporter
    private var seen: [(count: Int, grewAt: Instant?)]

    /// Creates a watch over `counters`. A counter that is above zero at the first check is reported as a fault.
    package init(_ counters: [Counter], report: @escaping HealthReporter) {
        (self.counters, self.report) = (counters, report)
        seen = counters.map { _ in (0, nil) }
    }

    /// Checks all counters once.
    package mutating func turn(at now: Instant) {
        for (index, counter) in counters.enumerated() {
            let count = counter.read()
            if count > seen[index].count {
                seen[index] = (count, now)
                report(.present(counter.code, count: count))
            } else if let grewAt = seen[index].grewAt, now >= grewAt.advanced(by: Self.rest) {
                seen[index].grewAt = nil
                report(.over(counter.code))
            }
        }
    }
}

/// Runs a ``CounterWatch`` at intervals while the service runs.
package struct CounterService: ServiceLifecycle.Service {
    private let watch: CounterWatch
    private let times: Periodic

    /// Creates a service that checks the counters every 2 s of `clock`.
    package init(_ watch: CounterWatch, clock: Clock) {
        (self.watch, times) = (watch, Periodic(every: .seconds(2), by: clock))
    }

    package func run() async {
        await cancelWhenGracefulShutdown {
            var watch = watch
            await times.run { watch.turn(at: $0) }
        }
    }
}
