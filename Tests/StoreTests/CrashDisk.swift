import CrashVFS
import Foundation

/// A folder whose SQLite files lie on a disk that loses what was not synced. Lock file and folder are real.
final class CrashDisk: @unchecked Sendable {  // the disk has its own lock
    let folder: TemporaryFolder
    private let disk: OpaquePointer

    init() throws {
        crash_vfs_install()
        let folder = try TemporaryFolder()
        guard let disk = crash_disk_create(folder.path + "/") else { throw CocoaError(.fileWriteUnknown) }
        (self.folder, self.disk) = (folder, disk)
    }

    deinit {
        // Something still holds a file open: better a leak than a use after free.
        if crash_disk_handles(disk) == 0 { crash_disk_destroy(disk) }
    }

    var database: String { folder.database }

    /// Writes, truncations, syncs, creations and removals so far.
    var operations: UInt64 { crash_disk_operations(disk) }

    /// Those of them that only laid down what a power cut had left.
    var firstOperation: UInt64 { crash_disk_base(disk) }

    /// Equal for disks with equal files.
    var fingerprint: UInt64 { crash_disk_fingerprint(disk) }

    /// Lets operations fail, beginning with the one of that number.
    func fail(_ first: UInt64, count: UInt64 = 1, _ fault: crash_fault) { crash_disk_fail(disk, first, count, fault) }

    /// The disk after a power cut just before the operation of that number.
    func cut(before operation: UInt64, _ survival: crash_survival, seed: UInt64) throws -> CrashDisk {
        let after = try CrashDisk()
        crash_disk_cut(disk, operation, survival, seed, after.disk)
        return after
    }
}
