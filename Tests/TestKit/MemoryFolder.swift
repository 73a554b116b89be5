package import Foundation
import Glibc

/// Where a test keeps files whose way to a disk proves nothing: in memory where this machine lends enough of it, else
/// with all other temporary files.
///
/// A disk takes milliseconds for each sync, memory takes none. Locks, names, modes and bytes are the same on both.
package enum MemoryFolder {
    /// Bytes that have to be free: a backup wants 64 MB besides its own, and several tests run at once.
    private static let room: UInt64 = 1 << 30

    /// The folder for such files, made by the system.
    package static let parent: URL = {
        let memory = "/dev/shm"
        var status = statvfs()
        guard access(memory, W_OK | X_OK) == 0, statvfs(memory, &status) == 0,
            UInt64(status.f_bavail) * UInt64(status.f_frsize) >= room
        else { return FileManager.default.temporaryDirectory }
        return URL(fileURLWithPath: memory)
    }()

    /// A new name in it that begins like that; nothing is there yet.
    package static func place(_ name: String) -> URL {
        parent.appendingPathComponent("gatehouse-\(name)-\(UUID().uuidString)")
    }
}
