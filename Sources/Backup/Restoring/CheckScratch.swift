import Foundation
import Glibc
import LinuxIO
import Settings

/// The temporary file for the databases of a backup while the backup is checked.
struct CheckScratch {
    /// The path of the file, which does not exist yet.
    let path: String

    /// Chooses a path in the ledger's folder, or in `elsewhere` if this user may not write to the ledger's folder.
    /// Throws if the disk has no room for `bytes` bytes. On the ledger's disk, ``BackupMaker/reserve`` bytes must
    /// stay free for the running service. Removes the files that killed checks left in the ledger's folder.
    init(beside ledger: String, elsewhere: String, bytes: Int) throws(BackupFailure) {
        let folder = NamedPlace.folder(of: ledger)
        guard faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 else {
            path = "\(elsewhere)/gatehouse-\(UUID().uuidString)"
            try BackupMaker.check(room: BackupMaker.room(elsewhere), for: bytes + (1 << 20), at: elsewhere)
            return
        }
        let beginning = (ledger as NSString).lastPathComponent + ".checking-"
        for name in Directory.names(in: folder) where name.hasPrefix(beginning) {
            guard let owner = pid_t(name.dropFirst(beginning.count).prefix { $0.isNumber }) else { continue }
            if owner == getpid() || kill(owner, 0) != 0 && errno == ESRCH { unlink("\(folder)/\(name)") }
        }
        path = "\(folder)/\(beginning)\(getpid())"
        try BackupMaker.check(room: BackupMaker.room(folder), for: bytes + BackupMaker.reserve, at: folder)
    }

    /// Removes the file, and the files that SQLite has made next to it.
    func remove() { for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) } }
}
