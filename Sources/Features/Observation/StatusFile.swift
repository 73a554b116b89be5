import Clocks
import Encoding
import LinuxIO
import Synchronization

/// A file for other programs that is replaced as a whole, on a separate thread. So a disk that does not
/// respond or is full blocks only this thread.
final class StatusFile: Sendable {
    private struct State {
        var waitsSince: Instant?
        var failure: String?
    }

    /// How long one write may take before it is reported.
    static let limit: Duration = .seconds(10)

    private let path: String
    private let clock: Clock
    private let put: @Sendable (String, [UInt8]) throws(SystemError) -> Void
    private let thread: BackgroundThread
    private let state = Mutex(State())

    /// Creates the file at `path`, which `put` replaces.
    init(
        _ path: String, clock: Clock,
        put: @escaping @Sendable (String, [UInt8]) throws(SystemError) -> Void = { (path, bytes) throws(SystemError) in
            try FileBytes.replace(path, with: bytes)
        }
    ) throws(SystemError) {
        (self.path, self.clock, self.put) = (path, clock, put)
        // Allow one write in progress, and the newest write that waits for it.
        thread = try BackgroundThread(name: "gatehouse-show", limit: 1)
    }

    /// Replaces the file in the background, and returns at once. A write that still waits is dropped.
    func write(_ text: String) {
        state.withLock { $0.waitsSince = $0.waitsSince ?? clock.now() }
        thread.run { [weak self] in self?.replace(Array(text.utf8)) }
    }

    /// Returns why the file is not up to date; nil if no failure is known.
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
