import Ledger

extension Reserve {
    /// Writes the records in the reserve, which an earlier run left there, into the ledger. Call this function before
    /// ``Store/recover(stamp:software:)``, which closes the visits that still have no outcome. Returns the number of
    /// records written. After a failure to write, the remaining records stay in the reserve.
    package func restore(into store: Store) async -> Int {
        let before = count
        while count > 0 {
            do {
                let records = try first(KeeperQueue.Limits().batch)
                _ = try await store.append([], records)
                try remove(first: records.count)
            } catch {
                break
            }
        }
        return before - count
    }
}
