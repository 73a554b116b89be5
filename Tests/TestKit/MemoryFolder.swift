package import Foundation
import Glibc

/// The folder for test files that need no disk: in memory if this machine has enough free memory for it, otherwise the
/// folder for temporary files.
///
/// A sync takes milliseconds on a disk and no time in memory. Locks, names, modes and contents behave alike on both.
package enum MemoryFolder {
    /// The free space, in bytes, that the folder in memory must have. A backup needs 64 MB in addition to its own size,
    /// and several tests run at once.
    private static let room: UInt64 = 1 << 30

    /// The existing folder in which tests create their folders and files.
    package static let parent: URL = {
        let memory = "/dev/shm"
        var status = statvfs()
        guard access(memory, W_OK | X_OK) == 0, statvfs(memory, &status) == 0,
            UInt64(status.f_bavail) * UInt64(status.f_frsize) >= room
        else { return FileManager.default.temporaryDirectory }
        return URL(fileURLWithPath: memory)
    }()

    /// Returns a new path in ``parent`` with `name` in its last component. No file exists at this path.
    package static func place(_ name: String) -> URL {
        parent.appendingPathComponent("gatehouse-\(name)-\(UUID().uuidString)")
    }
}
