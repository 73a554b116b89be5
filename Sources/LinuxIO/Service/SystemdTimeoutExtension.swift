import Encoding
import Synchronization

/// Extends systemd's timeouts while one piece of work takes long, such as the migration of a large database.
/// Otherwise systemd would end the program after a minute of starting, or after half a minute without a watchdog
/// notification, and the next start would begin the work again.
///
/// A separate thread sends the notifications, because the work may occupy all threads of Swift's task pool. The
/// extension is limited, so that systemd still ends work that hangs.
package struct SystemdTimeoutExtension: Sendable {
    /// Whether the service has reported that it is ready. Before that report systemd waits for it; afterwards systemd
    /// waits for watchdog notifications.
    package enum Phase: Hashable, Sendable {
        /// The service is not ready yet. `systemctl status` shows the given text.
        case starting(String)
        /// The service has reported that it is ready.
        case up
    }

    /// The state of one piece of work, which its task and the thread that sends notifications share.
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

    /// Creates an instance that notifies systemd through `manager`. `every` is the time between two notifications and
    /// must be shorter than systemd's timeouts. `limit` is the time after which no more notifications are sent.
    package init(_ manager: ServiceManager, every: Duration = .seconds(10), limit: Duration = .seconds(30 * 60)) {
        (self.manager, self.every, self.limit) = (manager, every, limit)
    }

    /// Runs `work` and returns its result. Sends no notification if `work` ends within the first interval, or if no
    /// thread can be started.
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
            // Send while the lock is held, so that no notification is sent after the work has ended.
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
