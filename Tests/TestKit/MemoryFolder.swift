package import Foundation
import Glibc

/// The folder for test files that need no disk: in memory when this machine has enough of it free, otherwise
/// the folder for temporary files.
///
/// A disk takes milliseconds for each sync, memory takes none. Locks, names, modes and bytes are the same on both.
package enum MemoryFolder {
    /// The bytes that have to be free: a backup needs 64 MB in addition to its own size, and several tests
    /// run at once.
    private static let room: UInt64 = 1 << 30

    /// The parent folder, made by the system.
    package static let parent: URL = {
        let memory = "/dev/shm"
        var status = statvfs()
        guard access(memory, W_OK | X_OK) == 0, statvfs(memory, &status) == 0,
            UInt64(status.f_bavail) * UInt64(status.f_frsize) >= room
        else { return FileManager.default.temporaryDirectory }
        return URL(fileURLWithPath: memory)
    }()

    /// A new path in ``parent`` that begins with `name`; no file exists there yet.
    package static func place(_ name: String) -> URL {
        parent.appendingPathComponent("gatehouse-\(name)-\(UUID().uuidString)")
    }
}
