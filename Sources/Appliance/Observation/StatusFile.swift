import Encoding
import LinuxIO
import Synchronization

/// A file that others read, replaced as a whole again and again, on a thread of its own: a place that hangs or is full holds up nobody.
final class StatusFile: Sendable {
    private struct State {
        var waitsSince: Instant?
        var failure: String?
    }

    /// How long one writing may take before it is told.
    static let limit: Duration = .seconds(10)

    private let path: String
    private let put: @Sendable (String, [UInt8]) throws(SystemError) -> Void
    private let thread: SideThread
    private let state = Mutex(State())

    /// The file at `path`, which `put` replaces.
    init(
        _ path: String,
        put: @escaping @Sendable (String, [UInt8]) throws(SystemError) -> Void = { (path, bytes) throws(SystemError) in
            try FileBytes.replace(path, with: bytes)
        }
    ) throws(SystemError) {
        (self.path, self.put) = (path, put)
        // One that is written, and the newest that waits for that.
        thread = try SideThread(name: "gatehouse-show", limit: 1)
    }

    /// Has the file replaced, and returns at once. What waited to be written is left out.
    func write(_ text: String) {
        state.withLock { $0.waitsSince = $0.waitsSince ?? SystemClock.now() }
        thread.run { [weak self] in self?.replace(Array(text.utf8)) }
    }

    /// Why the file is not as it should be; nil: it is, as far as is known.
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
