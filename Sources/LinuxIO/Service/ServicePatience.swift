import Encoding
import Synchronization

/// Keeps systemd patient while one piece of work takes its time, such as bringing a large database to a newer form: it would end the
/// program after a minute of a start, or after half of one without a sign of life, and the work would begin anew each time.
///
/// A thread of its own tells it, as the work may hold every thread that Swift's tasks share. It is bounded: what hangs for good is ended.
package struct ServicePatience: Sendable {
    /// Whether the service has said that it is up: then systemd waits for signs of life, else for that word.
    package enum Phase: Hashable, Sendable {
        /// It has not; `systemctl status` shows these words meanwhile.
        case starting(String)
        /// It has.
        case up
    }

    /// What the thread and the work share.
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

    /// Patience of that systemd. `every`: from one word to the next, a fraction of what it waits for; `limit`: how long it is kept patient.
    package init(_ manager: ServiceManager, every: Duration = .seconds(10), limit: Duration = .seconds(30 * 60)) {
        (self.manager, self.every, self.limit) = (manager, every, limit)
    }

    /// Does `work`. What is done at once is not told of; where there can be no thread, nothing is.
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
            // Under the lock: behind the end of the work not a word of it.
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
