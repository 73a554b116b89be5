import Foundation
import GRDB

extension Store {
    /// Returns sizes in bytes: the bytes that the database uses (`ledger`), and of its file system the bytes available
    /// to the service (`free`) and the total.
    package func room() async throws(StoreError) -> (ledger: Int, free: Int, total: Int) {
        try await read { [path] db in
            var system = statvfs()
            // Use the reader's thread, so that a disk that hangs blocks no other work.
            guard statvfs(StoreFile.folder(of: path), &system) == 0 else {
                throw DatabaseError(
                    resultCode: .SQLITE_IOERR,
                    message: "the file system does not report its free "
                        + "space")
            }
            let block = Int(clamping: system.f_frsize)
            return (
                try Self.size(db), Int(clamping: system.f_bavail) * block, Int(clamping: system.f_blocks) * block
            )
        }
    }
}
