import Ledger

extension Reserve {
    /// Writes the records that an earlier run left in the reserve. Call it before
    /// ``Store/recover(stamp:software:)``, which closes visits that still have no outcome. Returns the number
    /// of records written; those that the disk refuses now stay in the reserve.
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
