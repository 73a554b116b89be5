import Glibc
import LinuxIO
import Store

// The courier's database, which is put next to the ledger's.
extension BackupRestorer {
    /// Writes the courier's database of a backup, if it has one, to a new file, and checks it.
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

    /// Puts the staged databases to their paths. Returns the new names of the present databases.
    ///
    /// The ledger's database is last: before that, a power cut leaves the previous ledger, and the restore is repeated.
    /// A backup without a courier's database has the connections, if any, in its ledger's database, from which the next
    /// start moves them. The present courier's database is then put aside after the ledger is in its place, so that the
    /// previous ledger never lacks its connections.
    func put(_ ledger: StoppedStore, _ courier: StoppedStore, hasCourier: Bool) throws(StoreError) -> [String] {
        var aside: [String?] = []
        if hasCourier {
            try courier.prepareCourier()
            onStep()
            aside.append(try courier.commit(onStep: onStep))
        }
        aside.append(try ledger.commit(onStep: onStep))
        if !hasCourier { aside.append(try courier.setAside(onStep: onStep)) }
        return aside.compactMap(\.self)
    }
}
