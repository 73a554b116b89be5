import Synchronization
import Testing

/// The pauses of an audit. A test lets work be done in a pause.
final class Pauses: Sendable {
    private let state = Mutex<(left: Int, work: (@Sendable () async throws -> Void)?)>((0, nil))

    /// Whether all work is done.
    var isDone: Bool { state.withLock { $0.work == nil } }

    func inThird(_ work: @escaping @Sendable () async throws -> Void) { state.withLock { $0 = (3, work) } }

    func rest() async {
        let work = state.withLock { state in
            state.left -= 1
            return state.left == 0 ? state.work.take() : nil
        }
        await #expect(throws: Never.self) { try await work?() }
    }
}
