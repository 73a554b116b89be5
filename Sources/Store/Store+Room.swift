import Foundation
import GRDB

extension Store {
    /// Bytes of the database, and of the file system that it lies on: what the service may still write there, and all of it.
    package func room() async throws(StoreError) -> (ledger: Int, free: Int, total: Int) {
        try await read { [path] db in
            var system = statvfs()
            // On the reader's thread: a disk that hangs holds up nobody else.
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
