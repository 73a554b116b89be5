package import Clocks
package import Encoding
import Glibc
import Simulation
import Synchronization

/// The time and the tasks of services in a simulation. All tasks run on one thread, and no sleep takes real time.
///
/// All work of ``run(seed:jobs:_:)`` runs on the calling thread, one job after another, in an order that the seed
/// decides. When no job is ready, the clock jumps to the earliest deadline of a sleeping task. So everything that is
/// due at an instant is done before the time advances.
package final class VirtualTime: TaskExecutor {
    /// The reason why a run did not return the result of its body.
    package enum Failure: Error, Hashable {
        /// Every task of the run waits for an event that no task of the run can cause.
        case stuck
        /// Some code used a thread or a task outside the run, so the seed did not determine the order of the jobs.
        case escaped
        /// The run needed more jobs than permitted, probably because of an endless loop.
        case endless
    }

    private struct Sleeper {
        let number: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var now: Instant
        var random: SplitMix64
        var ready: [UnownedJob] = []
        var sleepers: [Sleeper] = []
        /// The number of the newest sleeper.
        var last = 0
        var hasEscaped = false
        /// Whether the body of the run has returned. Then every sleep is cancelled.
        var isOver = false
    }

    private let begin: (now: Instant, utc: Timestamp)
    private let home = UInt(pthread_self())
    private let state: Mutex<State>

    private init(seed: UInt64, at now: Instant, utc: Timestamp) {
        begin = (now, utc)
        state = Mutex(State(now: now, random: SplitMix64(seed: seed)))
    }

    /// Runs `body` and returns its result. The tasks of the run are executed in an order that `seed` decides. The
    /// monotonic clock begins at 1000 s, the date at 1 January 2026. After `body` has returned, the sleeps of the
    /// remaining tasks are cancelled. Throws the error of `body`, or a ``Failure``, for example after `jobs` jobs.
    package static func run<Result: Sendable>(
        seed: UInt64 = 1, jobs: Int = 10_000_000, _ body: @escaping @Sendable (VirtualTime) async throws -> Result
    ) throws -> Result {
        let time = VirtualTime(
            seed: seed, at: Instant(nanoseconds: 1_000_000_000_000), utc: Timestamp(seconds: 1_767_225_600))
        let result = Mutex<Swift.Result<Result, any Error>?>(nil)
        let answer: @Sendable (Swift.Result<Result, any Error>) -> Void = { value in result.withLock { $0 = value } }
        Task(executorPreference: time) {
            do { answer(.success(try await body(time))) } catch { answer(.failure(error)) }
        }
        var taken = 0
        while taken < jobs, time.step(isOver: result.withLock { $0 != nil }) { taken += 1 }
        let hasEscaped = time.state.withLock(\.hasEscaped)
        if let result = result.withLock(\.self), !hasEscaped, taken < jobs { return try result.get() }
        // Do not release the executor: a task outside the run may still pass a job to it.
        _ = Unmanaged.passRetained(time)
        throw hasEscaped ? Failure.escaped : taken < jobs ? Failure.stuck : Failure.endless
    }

    /// The present time of the monotonic clock.
    package var now: Instant { state.withLock { $0.now } }

    /// The clock for the services in this run.
    package var clock: Clock {
        Clock(
            now: { self.now }, utc: { self.begin.utc.advanced(by: self.begin.now.duration(to: self.now)) },
            sleep: { deadline throws(CancellationError) in try await self.sleep(until: deadline) })
    }

    /// The spawner for the services in this run.
    package var spawner: Spawner {
        Spawner { name, priority, work in
            Task(name: name, executorPreference: self, priority: priority, operation: work)
        }
    }

    /// Accepts a job of a task of the run. A job from another thread makes the run fail with ``Failure/escaped``.
    package func enqueue(_ job: consuming ExecutorJob) {
        let (job, isHome) = (UnownedJob(job), UInt(pthread_self()) == home)
        state.withLock { state in
            if !isHome { state.hasEscaped = true }
            state.ready.append(job)
        }
    }

    /// Runs one ready job; if there is none, wakes the sleeper with the earliest deadline. Returns false if there is no
    /// sleeper either. With `isOver`, cancels the sleeper and does not advance the time.
    private func step(isOver: Bool) -> Bool {
        let job = state.withLock { state -> UnownedJob? in
            state.isOver = isOver
            guard !state.ready.isEmpty else { return nil }
            return state.ready.remove(at: Int(state.random.next() % UInt64(state.ready.count)))
        }
        if let job {
            job.runSynchronously(on: asUnownedTaskExecutor())
            return true
        }
        let next = state.withLock { state -> Sleeper? in
            let first = state.sleepers.indices.min {
                (state.sleepers[$0].deadline, state.sleepers[$0].number)
                    < (state.sleepers[$1].deadline, state.sleepers[$1].number)
            }
            guard let first else { return nil }
            let next = state.sleepers.remove(at: first)
            if !isOver { state.now = max(state.now, next.deadline) }
            return next
        }
        next?.continuation.resume(returning: !isOver)
        return next != nil
    }

    private func sleep(until deadline: Instant) async throws(CancellationError) {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // All code runs on one thread, so a cancellation happens before this check, or later finds the sleeper
                // in the list.
                let isAsleep = state.withLock { state in
                    if Task.isCancelled || state.isOver { return false }
                    state.sleepers.append(Sleeper(number: number, deadline: deadline, continuation: continuation))
                    return true
                }
                if !isAsleep { continuation.resume(returning: false) }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else { return nil }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(returning: false)
        }
        if !isOver { throw CancellationError() }
    }
}
