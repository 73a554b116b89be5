import CLinuxShims
import Encoding
import Glibc
import Synchronization

/// The part of a ``PollThread`` that the thread refers to. It is a separate object, so that the last reference to the
/// ``PollThread`` can be released while the thread runs; the thread then ends.
final class PollLoop: Sendable {
    private struct Source: Sendable {
        var interest: PollThread.Interest
        let handler: @Sendable (PollThread.Interest) -> Void
    }

    private struct Alarm: Sendable {
        var due: Instant?
        let handler: @Sendable () -> Void
    }

    private struct State: Sendable {
        var jobs: [(job: UnownedJob, executor: PollThread)] = []
        var sources: [Int32: Source] = [:]
        var alarms: [UInt64: Alarm] = [:]
        var lastAlarm: UInt64 = 0
        /// Whether the thread is in poll(2) or about to call it. Only in this state must a change of the other
        /// properties wake the thread.
        var sleeping = false
        var finished = false

        var nextDue: Instant? { alarms.values.compactMap(\.due).min() }
    }

    private let name: String
    private let counter: EventCounter
    private let thread = Atomic<UInt>(0)
    private let state = Mutex(State())

    init(name: String) throws(SystemError) {
        self.name = name
        counter = try EventCounter()
    }

    func start() throws(SystemError) { try Threads.start(name) { [self] in run() } }

    var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    // MARK: - Methods for any thread

    func enqueue(_ job: UnownedJob, for executor: PollThread) { change { $0.jobs.append((job, executor)) } }

    func watch(
        _ descriptor: Int32, _ interest: PollThread.Interest,
        _ handler: @escaping @Sendable (PollThread.Interest) -> Void
    ) {
        change { $0.sources.updateValue(Source(interest: interest, handler: handler), forKey: descriptor) }
    }

    func update(_ descriptor: Int32, _ interest: PollThread.Interest) {
        let same = state.withLock { ($0.sources[descriptor]?.interest ?? interest) == interest }
        if !same { change { $0.sources[descriptor]?.interest = interest } }
    }

    func unwatch(_ descriptor: Int32) { change { $0.sources.removeValue(forKey: descriptor) } }

    func addTimer(_ handler: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.lastAlarm += 1
            state.alarms[state.lastAlarm] = Alarm(due: nil, handler: handler)
            return state.lastAlarm
        }
    }

    func arm(_ id: UInt64, at instant: Instant?) { change { $0.alarms[id]?.due = instant } }

    func stop() {
        change { state in
            defer { (state.sources, state.alarms) = ([:], [:]) }
            return (state.sources, state.alarms)
        }
    }

    func finish() { change { $0.finished = true } }

    /// Changes the state and wakes the thread if it sleeps. `body` returns the handlers that it removed. They are
    /// released after the lock, because their release may run code that calls this object.
    private func change<Removed: Sendable>(_ body: (inout State) -> Removed) {
        let (removed, wake) = state.withLock { state in
            let removed = body(&state)
            defer { state.sleeping = false }
            return (removed, state.sleeping)
        }
        if wake { counter.ring() }
        withExtendedLifetime(removed) {}
    }

    // MARK: - Methods on the loop's thread

    private func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        while wait() {
            runAlarms()
            runJobs()
        }
    }

    /// Waits for events and calls the handlers of the ready descriptors. Returns false if the thread must end.
    private func wait() -> Bool {
        var polled: [pollfd] = [pollfd(fd: counter.descriptor, events: Int16(POLLIN), revents: 0)]
        let limit = state.withLock { state -> Int64? in
            if state.finished, state.jobs.isEmpty { return nil }
            for (descriptor, source) in state.sources {
                polled.append(pollfd(fd: descriptor, events: source.interest.pollEvents, revents: 0))
            }
            state.sleeping = state.jobs.isEmpty
            guard state.sleeping else { return 0 }
            guard let due = state.nextDue else { return -1 }
            return max(0, SystemClock.now().duration(to: due).nanoseconds)
        }
        guard let limit else { return false }
        let ready = clinux_poll(&polled, Int32(polled.count), limit)
        state.withLock { $0.sleeping = false }
        guard ready > 0 else { return true }
        if polled[0].revents != 0 {
            counter.clear()
        }
        for entry in polled.dropFirst() where entry.revents != 0 { serve(entry) }
        return true
    }

    private func serve(_ entry: pollfd) {
        let invalid = Int32(entry.revents) & Int32(POLLNVAL) != 0
        let handler = state.withLock { state in
            // The descriptor was closed without ``unwatch(_:)``. Report that once and remove the descriptor, because
            // poll(2) would return at once each time.
            if invalid { return state.sources.removeValue(forKey: entry.fd)?.handler }
            return state.sources[entry.fd]?.handler
        }
        handler?(PollThread.Interest(pollEvents: entry.revents))
    }

    private func runAlarms() {
        let now = SystemClock.now()
        let due = state.withLock { state in
            state.alarms.compactMap { id, alarm in alarm.due.flatMap { $0 <= now ? (id: id, due: $0) : nil } }
        }
        for (id, instant) in due.sorted(by: { ($0.due, $0.id) < ($1.due, $1.id) }) {
            let handler = state.withLock { state -> (@Sendable () -> Void)? in
                // An earlier handler of this round may have changed the timer.
                guard state.alarms[id]?.due == instant else { return nil }
                state.alarms[id]?.due = nil
                return state.alarms[id]?.handler
            }
            handler?()
        }
    }

    private func runJobs() {
        let jobs = state.withLock { state in
            defer { state.jobs = [] }
            return state.jobs
        }
        for (job, executor) in jobs { job.runSynchronously(on: executor.asUnownedSerialExecutor()) }
    }
}

extension PollThread.Interest {
    fileprivate var pollEvents: Int16 {
        Int16(contains(.readable) ? POLLIN : 0) | Int16(contains(.writable) ? POLLOUT : 0)
    }

    fileprivate init(pollEvents: Int16) {
        let events = Int32(pollEvents)
        self = []
        if events & Int32(POLLIN) != 0 { insert(.readable) }
        if events & Int32(POLLOUT) != 0 { insert(.writable) }
        if events & Int32(POLLHUP | POLLERR | POLLNVAL) != 0 { insert(.hangUp) }
    }
}
