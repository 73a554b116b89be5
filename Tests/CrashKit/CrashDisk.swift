package import CrashVFS
import Foundation
import TestKit

/// A folder whose SQLite files lie on a disk that loses what was not synced (`Tests/CrashVFS`); lock and folder are real.
package final class CrashDisk: @unchecked Sendable {  // the disk has its own lock
    /// The real folder, made with mode 0700 and removed at the end.
    package let folder: String
    private let disk: OpaquePointer

    /// A new, empty disk.
    package init() throws {
        crash_vfs_install()
        folder = MemoryFolder.place("disk").path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        guard let disk = crash_disk_create(folder + "/") else { throw CocoaError(.fileWriteUnknown) }
        self.disk = disk
    }

    deinit {
        // Something still holds a file open: better a leak than a use after free.
        if crash_disk_handles(disk) == 0 { crash_disk_destroy(disk) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The path of a database on it.
    package var database: String { folder + "/gatehouse.sqlite" }

    /// Writes, truncations, syncs, creations and removals so far.
    package var operations: UInt64 { crash_disk_operations(disk) }

    /// Those of them that only laid down what a power cut had left.
    package var firstOperation: UInt64 { crash_disk_base(disk) }

    /// Equal for disks with equal files.
    package var fingerprint: UInt64 { crash_disk_fingerprint(disk) }

    /// Whether one of its files holds these bytes one after the other.
    package func holds(_ bytes: [UInt8]) -> Bool { crash_disk_holds(disk, bytes, UInt64(bytes.count)) != 0 }

    /// Lets operations fail, beginning with the one of that number.
    package func fail(_ first: UInt64, count: UInt64 = 1, _ fault: crash_fault) {
        crash_disk_fail(disk, first, count, fault)
    }

    /// Lets every operation from now on fail.
    package func fail(_ fault: crash_fault) { crash_disk_fail(disk, operations, .max, fault) }

    /// Lets the disk work again.
    package func heal() { crash_disk_fail(disk, 0, 0, CRASH_FAULT_NONE) }

    /// Syncs so far.
    package var syncs: UInt64 { crash_disk_syncs(disk) }

    /// Bytes written so far.
    package var bytes: UInt64 { crash_disk_bytes(disk) }

    /// Lets every sync take that long from now on.
    package func slow(_ time: Duration) {
        crash_disk_slow(disk, UInt64(time / .microseconds(1)))
    }

    /// Holds up every sync of the database itself, not of its log, until it is set to false again.
    package func stall(_ stalls: Bool) { crash_disk_stall(disk, stalls ? 1 : 0) }

    /// Syncs that are held up.
    package var stalled: UInt64 { crash_disk_stalled(disk) }

    /// The disk after a power cut just before the operation of that number. A key beside the database lies on a real disk, synced
    /// before anything is sealed under it.
    package func cut(before operation: UInt64, _ survival: crash_survival, seed: UInt64) throws -> CrashDisk {
        let after = try CrashDisk()
        let key = ".agent-key"
        if FileManager.default.fileExists(atPath: database + key) {
            try FileManager.default.copyItem(atPath: database + key, toPath: after.database + key)
        }
        crash_disk_cut(disk, operation, survival, seed, after.disk)
        return after
    }
}
