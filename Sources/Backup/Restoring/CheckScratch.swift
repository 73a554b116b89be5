import Foundation
import Glibc
import LinuxIO
import Settings

/// The file to which the database of a backup is unpacked while the backup is proved.
struct CheckScratch {
    /// The path of the file, which does not exist yet.
    let path: String

    /// Chooses a file in the ledger's folder, or in `elsewhere` if this user may not write there, with room
    /// for `bytes`. Removes files that killed checks left in the ledger's folder. Leaves
    /// ``BackupMaker/reserve`` bytes free on the ledger's disk, because the service may be running.
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

    /// Removes the file, and the files that a reader of the database may have made next to it.
    func remove() { for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) } }
}
