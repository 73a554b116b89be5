import Foundation
import GRDB

extension Store {
    /// Returns three sizes in bytes: the space that the database uses (`ledger`), the free space that its file system
    /// offers the service (`free`), and the size of that file system (`total`).
    package func room() async throws(StoreError) -> (ledger: Int, free: Int, total: Int) {
        try await read { [path] db in
            var system = statvfs()
            // Ask for the sizes on the reader's thread, so that a disk that does not respond blocks no other work.
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
