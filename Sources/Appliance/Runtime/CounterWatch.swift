package import Credentials
package import Encoding
package import Kiosk
import LinuxIO
import ServiceLifecycle

/// Makes faults of counters that only ever grow: in force from when one has grown until it has rested for a while.
package struct CounterWatch: Sendable {
    /// A counter and the fault that its growth is.
    package struct Counter: Sendable {
        let code: ReasonCode
        let read: @Sendable () -> Int

        /// The growth of what `read` gives is that fault.
        package init(_ code: ReasonCode, _ read: @escaping @Sendable () -> Int) {
            (self.code, self.read) = (code, read)
        }
    }

    /// How long a counter rests before its fault is over.
    package static let rest: Duration = .seconds(60)

    private let counters: [Counter]
    private let report: HealthReporter
    private var seen: [(count: Int, grewAt: Instant?)]

    /// A watch over these; what they have counted so far is a fault already.
    package init(_ counters: [Counter], report: @escaping HealthReporter) {
        (self.counters, self.report) = (counters, report)
        seen = counters.map { _ in (0, nil) }
    }

    /// One look at all of them.
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

/// Looks at the counters as long as the service runs.
package struct CounterService: ServiceLifecycle.Service {
    private let watch: CounterWatch
    private let pause: Duration

    /// A service that looks every so often.
    package init(_ watch: CounterWatch, every pause: Duration = .seconds(2)) {
        (self.watch, self.pause) = (watch, pause)
    }

    package func run() async {
        await cancelWhenGracefulShutdown {
            var watch = watch
            while !Task.isCancelled {
                watch.turn(at: SystemClock.now())
                try? await Task.sleep(for: pause)
            }
        }
    }
}
