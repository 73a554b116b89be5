package import Foundation
import Synchronization

/// The services, tasks and folders that a test has started and must end, however the test itself ends.
package final class Leftovers: Sendable {
    private let ends = Mutex<[@Sendable () async -> Void]>([])

    private init() {}

    /// Runs `end` after the test, before the ends that were added earlier.
    package func add(_ end: @escaping @Sendable () async -> Void) {
        ends.withLock { $0.append(end) }
    }

    /// A new folder in ``MemoryFolder`` for this user alone; it is removed after the test.
    package func folder(_ name: String) throws -> URL {
        let folder = MemoryFolder.place(name)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        add { try? FileManager.default.removeItem(at: folder) }
        return folder
    }

    private func end() async {
        while let end = ends.withLock({ $0.popLast() }) { await end() }
    }

    /// Runs `body` and then everything that was added, also when `body` throws. The ends run in a task that
    /// is not cancelled: a test that exceeds its time limit has to end what it started, too.
    package static func ended<Result: Sendable>(
        behind body: (Leftovers) async throws -> Result
    ) async throws -> Result {
        let leftovers = Leftovers()
        func end() async { await Task { await leftovers.end() }.value }
        do {
            let result = try await body(leftovers)
            await end()
            return result
        } catch {
            await end()
            throw error
        }
    }
}
