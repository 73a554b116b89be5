import Foundation
import Glibc
import Synchronization

/// The time at which a child ended, read on a thread of its own: the test's own threads may be busy with its
/// other children.
final class EndWatch: Sendable {
    private let instant = Mutex<ContinuousClock.Instant?>(nil)

    /// Watches a child that has not been waited for yet.
    init(process id: pid_t) {
        Thread.detachNewThread { [self] in
            var information = siginfo_t()
            // WNOWAIT leaves the child for `Child.poll`. When `poll` was faster (ECHILD), the child has
            // already ended.
            while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            instant.withLock { $0 = .now }
        }
    }

    /// Returns the time of the end of a child that has ended.
    func end() async throws -> ContinuousClock.Instant {
        while true {
            if let instant = instant.withLock({ $0 }) { return instant }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
