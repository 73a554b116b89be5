import Encoding
import GateService
import Ledger
import LinuxIO
import Settings
import Store

// A last backup ends the ledger on this machine: only a gate that restores the backup can continue the ledger.
extension BackupMaker {
    /// The beginning of the text that the witness records as the finding when a last backup ends a ledger.
    static let ended = "the ledger was ended by a last backup"

    /// Opens the ledger of a stopped service. Throws if there is none, or if a start would have to begin a new
    /// ledger.
    func store() async throws(StoreError) -> Store {
        var options = StoreOptions()
        (options.mayBeginNewLedger, options.mayMake) = (false, false)
        return try await Store.open(
            configuration.ledger.path, options: options, witness: configuration.ledger.witness(environment),
            sealing: configuration.agent.sealing(environment))
    }

    /// Writes the records in the reserve, which the disk had refused, into the ledger. Usually the next start of the
    /// service does this, but after a last backup no start with this ledger follows on this machine.
    func restoreReserve(_ store: Store) async throws {
        let path = configuration.ledger.reserve
        guard FileBytes.isFile(path) else { return }
        let reserve = try Reserve(path: path)
        guard await reserve.restore(into: store) > 0 || reserve.count > 0 else { return }
        guard reserve.count == 0 else {
            throw BackupFailure(
                "\(reserve.count) records in \(path) cannot be written into the ledger, and would be lost",
                remedy: "check the disk; start the service, which writes them, stop it and repeat the command")
        }
        // The backup contains the witness's statement, which must cover the records just written.
        await store.updateWitness()
    }

    /// Returns the end of the ledger if the witness has recorded that a last backup ended it there; nil otherwise.
    func end() -> Checkpoint? {
        let source = configuration.ledger.witness(environment)
        guard let key = try? source.key(), let head = source.reading(key).head,
            head.finding?.hasPrefix(Text(Self.ended)) == true
        else { return nil }
        return head.checkpoint
    }

    /// Gives the last backup that ended the ledger at `end` its final name, if an earlier attempt was interrupted
    /// before that step. Returns nil if there is no such backup.
    static func finish(_ path: String, behind end: Checkpoint) throws(BackupFailure) -> Made? {
        let partial = ArchiveWriter.partial(of: path)
        guard let backup = try? BackupFile(partial), backup.manifest.isLast, backup.manifest.end == end else {
            return nil
        }
        try ArchiveWriter.name(path)
        return Made(manifest: backup.manifest, isOpenToOthers: ArchiveWriter.isOpenToOthers(path))
    }

    /// Throws if an earlier attempt left a complete last backup of another ledger than `ledger` (nil: of any ledger)
    /// under the temporary name. That backup may be the only copy of its ledger.
    static func spare(_ path: String, ledger: Text?) throws(BackupFailure) {
        let partial = ArchiveWriter.partial(of: path)
        guard FileBytes.isFile(partial), let backup = try? BackupFile(partial), backup.manifest.isLast,
            ledger == nil || backup.manifest.end.ledger != ledger
        else { return }
        throw BackupFailure(
            "\(partial) is a complete last backup", remedy: "rename it, or remove it if it was restored")
    }
}
