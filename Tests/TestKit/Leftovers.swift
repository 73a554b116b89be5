package import Foundation
import Synchronization

/// The services, tasks and folders that a test has started and that must end even if the test fails.
package final class Leftovers: Sendable {
    private let ends = Mutex<[@Sendable () async -> Void]>([])

    private init() {}

    /// Adds a function that is called after the test. Functions are called in reverse order of their addition.
    package func add(_ end: @escaping @Sendable () async -> Void) {
        ends.withLock { $0.append(end) }
    }

    /// Creates a new folder in ``MemoryFolder`` that only this user may read. The folder is removed after the test.
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

    /// Runs `body`, then the functions that it has added, even if it throws. The functions run in a task that is not
    /// cancelled, because a test that exceeds its time limit must also end what it has started.
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
