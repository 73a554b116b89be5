package import Foundation
import Synchronization

/// What a test has begun and must not leave behind, however it ends: services, tasks, folders.
package final class Leftovers: Sendable {
    private let ends = Mutex<[@Sendable () async -> Void]>([])

    private init() {}

    /// Does `end` behind the test, before what was added earlier.
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

    /// Does `body`, and then whatever is to be ended, also when `body` throws. Without being cancelled itself: a test that is out of
    /// time has to end what it began, too.
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
