import Glibc
import Synchronization

/// The processes that run tests now. They end with this program, also when a person interrupts it.
final class Children: Sendable {
    private struct State {
        var ids: Set<pid_t> = []
        var isEnding = false
    }

    static let shared = Children()
    private let state = Mutex(State())

    /// Registers a process. While this program is ending, the process is killed at once.
    func add(_ id: pid_t) {
        let isEnding = state.withLock { state in
            state.ids.insert(id)
            return state.isEnding
        }
        if isEnding { Self.kill(id) }
    }

    func remove(_ id: pid_t) { _ = state.withLock { $0.ids.remove(id) } }

    /// Ends a process and the processes of its group.
    static func kill(_ id: pid_t) {
        Glibc.kill(-id, SIGKILL)
        Glibc.kill(id, SIGKILL)
    }

    /// Returns a handler that ends every process and then this program with that exit code.
    nonisolated static func end(_ code: Int32) -> @Sendable () -> Void {
        {
            let ids = shared.state.withLock { state in
                state.isEnding = true
                return state.ids
            }
            for id in ids { kill(id) }
            exit(code)
        }
    }
}
