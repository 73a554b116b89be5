import Foundation
import GRDB

extension Store {
    /// The size of the database and of its file system in bytes: used by the database, still available to the
    /// service, total.
    package func room() async throws(StoreError) -> (ledger: Int, free: Int, total: Int) {
        try await read { [path] db in
            var system = statvfs()
            // Runs on the reader's thread, so that a disk that hangs blocks nothing else.
            guard statvfs(StoreFile.folder(of: path), &system) == 0 else {
                throw DatabaseError(resultCode: .SQLITE_IOERR, message: "the file system does not say how full it is")
            }
            let block = Int(clamping: system.f_frsize)
            return (
                try Self.size(db), Int(clamping: system.f_bavail) * block, Int(clamping: system.f_blocks) * block
            )
        }
    }
}
