import Encoding
import Ledger
import LinuxIO
import Store

// A last backup: the ledger ends with it, so that the file is all that there is from then on.
extension BackupMaking {
    /// What the witness hears of a ledger that ends so.
    static let ended = "the ledger was ended by a last backup"

    /// Opens the ledger of a stopped service, which goes on where it was or not at all.
    func store() async throws(StoreError) -> Store {
        var options = StoreOptions()
        (options.mayBeginAnew, options.mayMake) = (false, false)
        return try await Store.open(
            configuration.ledger.path, options: options, witness: configuration.ledger.witness(environment),
            sealing: configuration.agent.sealing(environment))
    }

    /// Writes what the disk had refused into the ledger, as a start would: no start comes here any more.
    func restoreReserve(_ store: Store) async throws {
        let path = configuration.ledger.reserve
        guard FileBytes.isFile(path) else { return }
        let reserve = try Reserve(path: path)
        guard await LedgerKeeper.restore(reserve, into: store) > 0 || reserve.count > 0 else { return }
        guard reserve.count == 0 else {
            throw BackupFailure(
                "\(reserve.count) records in \(path) cannot be written into the ledger, and would stay behind",
                remedy: "look at the disk; start the service, which writes them, stop it and do this again")
        }
        // The witness travels along.
        await store.tellWitness()
    }

    /// Where a last backup has ended the ledger, as the witness says; nil: none has.
    func end() -> Checkpoint? {
        let source = configuration.ledger.witness(environment)
        guard let key = try? source.key(), let head = source.reading(key).head,
            head.finding?.hasPrefix(Text(Self.ended)) == true
        else { return nil }
        return head.checkpoint
    }

    /// Gives the last backup that ended the ledger there its name, where an attempt was cut off before that; nil: there is none.
    static func finish(_ path: String, behind end: Checkpoint) throws(BackupFailure) -> Made? {
        let partial = ArchiveWriter.partial(of: path)
        guard let backup = try? BackupFile(partial), backup.manifest.isLast, backup.manifest.end == end else {
            return nil
        }
        try ArchiveWriter.name(path)
        return Made(manifest: backup.manifest, isOpenToOthers: ArchiveWriter.isOpenToOthers(path))
    }

    /// Throws where an earlier attempt left the whole last backup of another ledger than the one that goes on here: it may be all that is
    /// left of that one.
    static func spare(_ path: String, ledger: Text?) throws(BackupFailure) {
        let partial = ArchiveWriter.partial(of: path)
        guard FileBytes.isFile(partial), let backup = try? BackupFile(partial), backup.manifest.isLast,
            ledger == nil || backup.manifest.end.ledger != ledger
        else { return }
        throw BackupFailure(
            "\(partial) is a whole last backup", remedy: "give it a name of its own, or remove it if it was put back")
    }
}
