/// The limits on the entries that stay on disk. Eviction keeps the hash of the last evicted entry, so the rest stays
/// provable.
///
/// Only the oldest entries can be evicted. The chain proves that no entry is missing between its start and its end, so
/// an eviction in the middle would look like a removal by hand. Records of strangers must not displace the records of
/// admitted visitors. Limits on writing records ensure that (`docs/retention.md`).
package struct Retention: Hashable, Sendable {
    /// The maximum age of an entry.
    package var age: Duration = .seconds(400 * 86_400)
    /// The size of the whole database, in bytes, beyond which old entries are evicted. The default is sufficient for
    /// the entries of `age` at 2,000 visits a day.
    package var bytes = 2_000_000_000
    /// The maximum number of entries, two for each visit. This limit applies even if age and size are not checked. The
    /// default is more than fits into `bytes`.
    package var entries = 4_000_000
    /// The number of entries beyond which even unconfirmed entries of the primary destination are evicted. The ledger
    /// is the outbox, so the destination never gets them.
    package var hardEntries = 5_000_000

    /// Creates the documented default limits.
    package init() {}

    /// Returns the position up to which entries may be evicted; nil if no entry may be evicted.
    ///
    /// - `firstOpen`: the position of the oldest intent without an outcome. This entry and all later entries always
    ///   stay.
    /// - `firstUnconfirmed`: ``DeliveryCursor/firstUnconfirmed`` of the primary destination. That entry is evicted only
    ///   beyond `hardEntries`, and the loss is counted.
    package func evictable(
        start: ChainPoint, end: ChainPoint, firstOpen: Int?, firstUnconfirmed: Int?
    ) -> Int? {
        let kept = end.count - start.count
        guard kept > entries else { return nil }
        var last = end.count - entries
        if let firstUnconfirmed, firstUnconfirmed <= last {
            last = kept > hardEntries ? max(firstUnconfirmed - 1, end.count - hardEntries) : firstUnconfirmed - 1
        }
        if let firstOpen { last = min(last, firstOpen - 1) }
        return last > start.count ? last : nil
    }

    /// Whether the unconfirmed entries of the primary destination use more than seven eighths of ``bytes``. Then the
    /// remaining room is reserved for visits for which the gate opens.
    ///
    /// - `size`: bytes of the database. The function assumes that unconfirmed entries have the average size.
    package func isFilled(size: Int, start: ChainPoint, end: ChainPoint, firstUnconfirmed: Int?) -> Bool {
        guard let firstUnconfirmed else { return false }
        let kept = end.count - start.count
        let owed = end.count - max(firstUnconfirmed - 1, start.count)
        return kept > 0 && Double(size) * Double(owed) / Double(kept) > Double(bytes) * 7 / 8
    }

    /// Returns the position up to which entries may be evicted if age or lack of room require the eviction of all
    /// entries up to `wanted`; nil if no entry may be evicted. Open intents and the entries from `firstUnconfirmed` on
    /// stay.
    package func evictable(upTo wanted: Int, start: ChainPoint, firstOpen: Int?, firstUnconfirmed: Int?) -> Int? {
        let last = [firstOpen, firstUnconfirmed].compactMap { $0 }.reduce(wanted) { min($0, $1 - 1) }
        return last > start.count ? last : nil
    }
}
