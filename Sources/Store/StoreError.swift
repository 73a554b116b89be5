import Foundation
import GRDB
import Glibc
package import Ledger

/// The reason why a request to the store failed. Nothing of the request is stored. The caller may try again later.
package enum StoreError: Error, Hashable, Sendable {
    /// No space is left on the device (ENOSPC, SQLITE_FULL).
    case diskFull(path: String)
    /// The device failed to read, write or sync (EIO, SQLITE_IOERR). `code` is SQLite's extended result code.
    case inputOutput(path: String, code: Int32)
    /// The device has not answered for a long time.
    case silent(path: String)
    /// Another process owns the database. `owner`: the id of that process; nil if unknown.
    case locked(path: String, owner: Int32?)
    /// The file is damaged or is not an SQLite database.
    case corrupt(path: String, detail: String)
    /// SQLite can read the database, but it contains a value that no version of the program writes.
    case unreadable(path: String, detail: String)
    /// The sealing key, which seals other secret keys in the database, is unusable. `path` is the file of the sealing
    /// key.
    case keyless(path: String, detail: String)
    /// The witness or the available key contradicts the ledger. A command, unlike the service, may not replace the
    /// ledger.
    case doubtful(path: String, detail: String)
    /// Another program deleted, replaced, truncated or wrote the open file.
    case replaced(path: String, detail: String)
    /// The file is a database of another program.
    case foreign(path: String)
    /// A newer version of the program wrote the file.
    case newer(path: String)
    /// The file system denies permission.
    case notPermitted(path: String, detail: String)
    /// Another fault of a file or its folder, which `detail` describes.
    case unusable(path: String, detail: String)
    /// The owner or the mode of the folder lets other users change the ledger in it.
    case unsafeFolder(path: String, detail: String)
    /// No database exists at `path`.
    case absent(path: String)
    /// More requests are waiting than ``StoreOptions/waiting`` allows, because the disk does not respond.
    case overloaded
    /// The store has been closed.
    case closed
    /// The ledger's rules forbid the record for the given reason. This is a programming error of the caller.
    case refused(LedgerError)
    /// SQLite reports another error, with the given code.
    case unexpected(code: Int32, detail: String)

    /// The error in plain words. The text contains nothing from a record.
    package var text: String {
        switch self {
        case .diskFull(let path): "no space left for \(path)"
        case .inputOutput(let path, let code): "the disk fails to read or write \(path) (SQLite \(code))"
        case .silent(let path): "the disk does not answer for \(path)"
        case .locked(let path, let owner):
            "\(path) is in use by another process" + (owner.map { " (process \($0))" } ?? "")
        case .corrupt(let path, let detail): "\(path) is damaged: \(detail)"
        case .unreadable(let path, let detail): "\(path) cannot be understood: \(detail)"
        case .keyless(let path, let detail):
            "the key \(path), which seals the keys of connections, cannot be used: \(detail)"
        case .doubtful(let path, let detail): "the ledger \(path) contradicts its witness: \(detail)"
        case .replaced(let path, let detail): "\(path) \(detail) while the service was running"
        case .foreign(let path): "\(path) is not a Gatehouse database"
        case .newer(let path): "\(path) was written by a newer version of Gatehouse"
        case .notPermitted(let path, let detail): "no permission for \(path): \(detail)"
        case .unusable(let path, let detail): "\(path) cannot be used: \(detail)"
        case .unsafeFolder(let path, let detail): "the folder \(path) \(detail)"
        case .absent(let path): "there is no \(StoreFile.isCourier(path) ? "database" : "ledger") at \(path) yet"
        case .overloaded: "too many records wait for the disk"
        case .closed: "the database has been closed"
        case .refused(let error): "the ledger refuses the record (\(error))"
        case .unexpected(let code, let detail): "SQLite error \(code): \(detail)"
        }
    }

    /// The remedy that the operator can try, in plain words.
    package var remedy: String { courierRemedy ?? ledgerRemedy }

    /// The remedy for a file of the courier's database; nil if the remedy is the same as for the ledger.
    private var courierRemedy: String? {
        switch self {
        case .corrupt(let path, _) where StoreFile.isCourier(path),
            .unreadable(let path, _) where StoreFile.isCourier(path):
            "restart the service, which renames the file; then connect the agents again with new invitations"
        case .locked(let path, _) where StoreFile.isCourier(path):
            "use the running service, or wait until the other program ends"
        case .foreign(let path) where StoreFile.isCourier(path):
            "move the file away and restart the service; then connect the agents again with new invitations"
        case .absent(let path) where StoreFile.isCourier(path): "start the service, which creates it"
        default: nil
        }
    }

    private var ledgerRemedy: String {
        switch self {
        case .diskFull:
            "free some space on that file system (journalctl --vacuum-size=50M, old packages) or move `ledger.path`; "
                + "nothing recorded is lost"
        case .inputOutput:
            "check `dmesg` for disk errors; replace the card or disk and restore the database from its copy"
        case .locked:
            "use `gatehouse ledger list|verify`, which may be used while the service runs, or stop the service"
        case .corrupt:
            "stop the service and move the file aside, as evidence: the next start begins a new ledger; "
                + "`gatehouse ledger verify --database FILE` shows what can still be proved"
        case .unreadable:
            "`gatehouse ledger verify` shows the affected entries; keep a copy of the file as evidence and do not "
                + "move it"
        case .keyless:
            "restore the key from its copy, readable only by the service's user, and restart the service; if it is "
                + "lost, create a new one (openssl rand -hex 32) and connect the agents again"
        case .doubtful:
            "start the service, which has its own keys, and ask it; `gatehouse ledger verify` shows the problem; "
                + "nothing was changed"
        case .replaced:
            "restore the file, or restart the service; keep other programs away from its folder"
        case .foreign: "check `ledger.path` in the configuration"
        case .newer: "install the newer version again"
        case .notPermitted:
            "run as the user of the service (`sudo -u gatehouse …`) or as root; if the service has no permission, "
                + "give its user the folder with its contents (chown -R)"
        case .unusable: "check this path and its folder"
        case .unsafeFolder: "give it to the service's user with mode 0700 (chown, chmod)"
        case .absent: "check the path; the service creates the ledger at its first start"
        case .overloaded, .silent: "check for a slow or failing disk: `dmesg`"
        case .closed: "start the service again"
        case .refused, .unexpected: "report this as a bug, with the log of the service"
        }
    }

    /// Translates an error of GRDB, of the ledger's rules or of a value's type. `path`: the file of the database.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as StoreError: self = error
        case let error as LedgerError: self = .refused(error)
        case let error as DatabaseError: self.init(error, path: path)
        case let error as ContentError: self = .unreadable(path: path, detail: error.detail)
        default: self = .unexpected(code: 0, detail: String(describing: type(of: error)))
        }
    }

    private init(_ error: DatabaseError, path: String) {
        // Use only the message. The arguments of the SQL statement may be secret keys.
        let detail = error.message ?? "no message"
        switch error.resultCode {
        case .SQLITE_FULL: self = .diskFull(path: path)
        case .SQLITE_IOERR:
            // SQLite reports ENOSPC only for writes. A failed sync, or a shared memory file that cannot grow, looks
            // like EIO.
            self =
                StoreFile.hasNoSpace(path)
                ? .diskFull(path: path) : .inputOutput(path: path, code: error.extendedResultCode.rawValue)
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked(path: path, owner: nil)
        case .SQLITE_TOOBIG: self = .unreadable(path: path, detail: Database.foreignValue)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .corrupt(path: path, detail: detail)
        case .SQLITE_CANTOPEN where StoreFile.hasNoSpace(path): self = .diskFull(path: path)
        case .SQLITE_CANTOPEN where StoreFile.isWritable(path):
            self = .inputOutput(path: path, code: error.extendedResultCode.rawValue)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN:
            self = .notPermitted(path: path, detail: detail)
        case .SQLITE_MISUSE where detail.contains("closed"): self = .closed
        default: self = .unexpected(code: error.extendedResultCode.rawValue, detail: detail)
        }
    }

    /// Whether a request that fails with this error also undoes all other requests of its transaction.
    var endsTransaction: Bool {
        switch self {
        case .refused, .unexpected: false
        default: true
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// The text and the remedy in one line.
    package var description: String { "\(text); remedy: \(remedy)" }
}
