import Foundation
import Glibc
import LinuxIO

/// Where the database of a backup lies while it is proved.
struct CheckScratch {
    /// The file; not there yet.
    let path: String

    /// A file beside the ledger, else in `elsewhere`, with room for so many bytes; what checks that were killed left beside the ledger is
    /// removed. The ledger's disk keeps ``BackupMaking/reserve`` beside it: its service may run.
    init(beside ledger: String, elsewhere: String, bytes: Int) throws(BackupFailure) {
        let folder = NamedPlace.folder(of: ledger)
        guard faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 else {
            path = "\(elsewhere)/gatehouse-\(UUID().uuidString)"
            try BackupMaking.check(room: BackupMaking.room(elsewhere), for: bytes + (1 << 20), at: elsewhere)
            return
        }
        let beginning = (ledger as NSString).lastPathComponent + ".checking-"
        for name in Directory.names(in: folder) where name.hasPrefix(beginning) {
            guard let owner = pid_t(name.dropFirst(beginning.count).prefix { $0.isNumber }) else { continue }
            if owner == getpid() || kill(owner, 0) != 0 && errno == ESRCH { unlink("\(folder)/\(name)") }
        }
        path = "\(folder)/\(beginning)\(getpid())"
        try BackupMaking.check(room: BackupMaking.room(folder), for: bytes + BackupMaking.reserve, at: folder)
    }

    /// Removes it, with what a reader may have made beside it.
    func remove() { for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) } }
}
