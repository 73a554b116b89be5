import Glibc
import LinuxIO
import Settings
import Store

// The copy of the courier's database, which is next to the ledger's.
extension BackupMaker {
    /// The path of the courier's database.
    var courier: String { CourierStore.path(of: configuration.ledger.path) }

    /// Copies the courier's database, checks the copy and returns its content; nil if there is no courier's database.
    ///
    /// Call this function after the ledger was copied. If the ledger's copy has no tables about agents, a start had
    /// moved them to the courier's database before, so this copy contains them. This copy also contains each
    /// destination's active connection that the ledger's copy names, unless the connection was deleted in between.
    func courierCopy() async throws(BackupFailure) -> [UInt8]? {
        let copy = courier + ".backup"
        defer { for ending in ["", "-wal", "-shm", "-journal"] { unlink(copy + ending) } }
        do throws(StoreError) {
            try await CourierReader(path: courier).copy(to: copy)
            try await CourierReader(path: copy).check(asCopyOf: courier)
        } catch .absent {
            return nil
        } catch {
            throw BackupFailure(
                "the connections to agents cannot be copied: \(error.text)",
                remedy: "\(error.remedy); or make the backup with --without-connections")
        }
        guard let bytes = FileBytes.whole(copy, limit: BackupManifest.smallLimit) else {
            throw BackupFailure(
                "the copy of \(courier) cannot be read, or has more than \(BackupManifest.smallLimit >> 20) MB",
                remedy: "find the program that writes to that folder, or make the backup with --without-connections")
        }
        return bytes
    }
}
