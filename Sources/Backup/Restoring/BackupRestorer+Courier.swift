import Glibc
import LinuxIO
import Store

// The restoration of the courier's database, which is next to the ledger's.
extension BackupRestorer {
    /// Writes the courier's database of a backup to a new file at `path` and checks it. Does nothing if the backup
    /// has none.
    func extractCourier(of backup: BackupFile, to path: String) async throws(BackupFailure) {
        guard let bytes = backup.courier else { return }
        unlink(path)
        do throws(SystemError) {
            let file = try OpenFile(path, .making(mode: 0o600))
            defer { file.close() }
            try file.write(bytes)
        } catch {
            throw BackupFailure(error)
        }
        do throws(StoreError) {
            try await CourierReader(path: path).check()
        } catch {
            throw BackupFailure(
                error.text, remedy: "use another copy; keep this one as evidence; nothing was changed", isRefusal: true)
        }
    }

    /// Moves the new databases to their paths. Returns the new names of the databases that were there.
    ///
    /// The ledger's database is moved last: after a power cut before that step, the previous ledger is still in
    /// place, and the operator repeats the restore. If the backup has no courier's database (`hasCourier` is false),
    /// its ledger's database may contain connections, which the next start moves. The present courier's database is
    /// then renamed only after the ledger was moved, so that the previous ledger never lacks its connections. If the
    /// ledger does not continue (`continues` is false), the questions of agents are closed.
    func put(
        _ ledger: StoppedStore, _ courier: StoppedStore, hasCourier: Bool, continues: Bool
    ) throws(StoreError) -> [String] {
        var aside: [String?] = []
        if hasCourier {
            try courier.prepareCourier(closesQuestions: !continues)
            onStep()
            aside.append(try courier.commit(onStep: onStep))
        }
        aside.append(try ledger.commit(onStep: onStep))
        if !hasCourier { aside.append(try courier.setAside(onStep: onStep)) }
        return aside.compactMap(\.self)
    }
}
