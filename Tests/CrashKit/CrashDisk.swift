package import CrashVFS
import Foundation
import TestKit

/// A folder whose SQLite files are on a simulated disk that loses unsynced data (`Tests/CrashVFS`); the lock
/// and the folder are real.
package final class CrashDisk: @unchecked Sendable {  // the disk has its own lock
    /// The real folder, created with mode 0700 and removed with this object.
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
        // While something holds a file open, a leak is better than a use after free.
        if crash_disk_handles(disk) == 0 { crash_disk_destroy(disk) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The path of a database on this disk.
    package var database: String { folder + "/gatehouse.sqlite" }

    /// Writes, truncations, syncs, creations and removals so far.
    package var operations: UInt64 { crash_disk_operations(disk) }

    /// The number of those operations that only restored the state after a power cut.
    package var firstOperation: UInt64 { crash_disk_base(disk) }

    /// A fingerprint that is equal for disks with equal files.
    package var fingerprint: UInt64 { crash_disk_fingerprint(disk) }

    /// Returns whether one of its files contains these bytes in sequence.
    package func holds(_ bytes: [UInt8]) -> Bool { crash_disk_holds(disk, bytes, UInt64(bytes.count)) != 0 }

    /// Makes `count` operations fail, beginning with the operation of number `first`.
    package func fail(_ first: UInt64, count: UInt64 = 1, _ fault: crash_fault) {
        crash_disk_fail(disk, first, count, fault)
    }

    /// The number of reads so far.
    package var reads: UInt64 { crash_disk_reads(disk) }

    /// Makes `count` reads fail, beginning with the read of number `first`.
    package func failReads(_ first: UInt64, count: UInt64 = 1) { crash_disk_fail_reads(disk, first, count) }

    /// Makes every operation from now on fail.
    package func fail(_ fault: crash_fault) { crash_disk_fail(disk, operations, .max, fault) }

    /// Makes the disk work again.
    package func heal() { crash_disk_fail(disk, 0, 0, CRASH_FAULT_NONE) }

    /// The number of syncs so far.
    package var syncs: UInt64 { crash_disk_syncs(disk) }

    /// The number of bytes written so far.
    package var bytes: UInt64 { crash_disk_bytes(disk) }

    /// Makes every sync from now on take that long.
    package func slow(_ time: Duration) {
        crash_disk_slow(disk, UInt64(time / .microseconds(1)))
    }

    /// Blocks every sync of the database itself, but not of its log, until it is called with false.
    package func stall(_ stalls: Bool) { crash_disk_stall(disk, stalls ? 1 : 0) }

    /// The number of syncs that are blocked.
    package var stalled: UInt64 { crash_disk_stalled(disk) }

    /// Returns the disk after a power cut just before the operation of that number. A key file next to the
    /// database is on a real disk, and was synced before anything was sealed under it.
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
