import Encoding
import Synchronization

/// Extends systemd's timeouts while one piece of work takes long, such as the migration of a large database.
/// systemd would otherwise end the program after a minute of starting, or after half a minute without a
/// watchdog notification, and the work would begin again each time.
///
/// A separate thread sends the notifications, because the work may occupy every thread of Swift's task pool.
/// The extension is limited, so that systemd still ends work that hangs.
package struct SystemdTimeoutExtension: Sendable {
    /// Whether the service has reported that it is ready. systemd waits for that report first, and for
    /// watchdog notifications afterwards.
    package enum Phase: Hashable, Sendable {
        /// The service is not ready. Meanwhile `systemctl status` shows the given text.
        case starting(String)
        /// The service has reported that it is ready.
        case up
    }

    /// The state that the thread and the work share.
    private final class Course: Sendable {
        let isOver = Mutex(false)
        let wake: EventCounter

        init() throws(SystemError) { wake = try EventCounter() }

        func end() {
            isOver.withLock { $0 = true }
            wake.ring()
        }
    }

    private let manager: ServiceManager
    private let every: Duration
    private let limit: Duration

    /// Creates an instance that notifies systemd through `manager`. `every` is the interval of notifications,
    /// a fraction of systemd's timeout; `limit` is how long timeouts are extended.
    package init(_ manager: ServiceManager, every: Duration = .seconds(10), limit: Duration = .seconds(30 * 60)) {
        (self.manager, self.every, self.limit) = (manager, every, limit)
    }

    /// Runs `work`. Work that ends within the first interval causes no notification. If no thread can be
    /// started, no notification is sent.
    package func during<Value, Failure: Error>(
        _ phase: Phase, _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let course = try? Course()
        if let course { try? Threads.start("gatehouse-wait") { tell(phase, course) } }
        defer { course?.end() }
        return try await work()
    }

    private func tell(_ phase: Phase, _ course: Course) {
        let began = SystemClock.now()
        var next = began.advanced(by: every)
        while next <= began.advanced(by: limit) {
            while SystemClock.now() < next, !course.isOver.withLock({ $0 }) { course.wake.wait(until: next) }
            // Send under the lock: no notification may follow the end of the work.
            let isOver = course.isOver.withLock { isOver in
                guard !isOver else { return true }
                switch phase {
                case .starting(let text): manager.starting(status: text)
                case .up: manager.alive()
                }
                return false
            }
            if isOver { return }
            next = next.advanced(by: every)
        }
    }
}
