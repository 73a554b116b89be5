import Clocks
import Encoding
import LinuxIO
import Synchronization

/// A file for other programs, which is replaced as a whole on a separate thread. If the disk hangs or is full, only
/// this thread waits.
final class StatusFile: Sendable {
    private struct State {
        var waitsSince: Instant?
        var failure: String?
    }

    /// The time after which a write that has not ended is reported as a failure.
    static let limit: Duration = .seconds(10)

    private let path: String
    private let clock: Clock
    private let put: @Sendable (String, [UInt8]) throws(SystemError) -> Void
    private let thread: BackgroundThread
    private let state = Mutex(State())

    /// Creates the object for the file at `path`. `put` replaces the file.
    init(
        _ path: String, clock: Clock,
        put: @escaping @Sendable (String, [UInt8]) throws(SystemError) -> Void = { (path, bytes) throws(SystemError) in
            try FileBytes.replace(path, with: bytes)
        }
    ) throws(SystemError) {
        (self.path, self.clock, self.put) = (path, clock, put)
        // The queue has space for one write, in addition to the write in progress. A newer write replaces the queued
        // one.
        thread = try BackgroundThread(name: "gatehouse-show", limit: 1)
    }

    /// Requests that the file is replaced, and returns at once. Drops an earlier request that still waits.
    func write(_ text: String) {
        state.withLock { $0.waitsSince = $0.waitsSince ?? clock.now() }
        thread.run { [weak self] in self?.replace(Array(text.utf8)) }
    }

    /// Returns why the file is not up to date at `now`; nil if no failure is known.
    func failure(at now: Instant) -> String? {
        state.withLock { state in
            if let since = state.waitsSince, since.duration(to: now) > Self.limit {
                return "\(path) has not been written for \(Self.limit)"
            }
            return state.failure
        }
    }

    private func replace(_ bytes: [UInt8]) {
        var failure: String?
        do throws(SystemError) { try put(path, bytes) } catch { failure = error.description }
        state.withLock { $0 = State(waitsSince: nil, failure: failure) }
    }
}
