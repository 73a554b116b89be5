import Glibc
import Synchronization

/// The processes that run tests now: they end with this program, also when a person breaks it off.
final class Children: Sendable {
    private struct State {
        var ids: Set<pid_t> = []
        var isEnding = false
    }

    static let shared = Children()
    private let state = Mutex(State())

    /// Takes one; once this program ends it is killed at once.
    func add(_ id: pid_t) {
        let isEnding = state.withLock { state in
            state.ids.insert(id)
            return state.isEnding
        }
        if isEnding { Self.kill(id) }
    }

    func remove(_ id: pid_t) { _ = state.withLock { $0.ids.remove(id) } }

    /// Ends a process with what it started in its group.
    static func kill(_ id: pid_t) {
        Glibc.kill(-id, SIGKILL)
        Glibc.kill(id, SIGKILL)
    }

    /// Ends each, and then this program with that code.
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
