/// The limits for the entries that stay in the database. When entries are evicted, the hash of the last of them is
/// kept, so the chain of the remaining entries can still be verified.
///
/// Only the oldest entries can be evicted: the chain proves that no entry between its start and its end is missing, so
/// an eviction in the middle would look like a manipulation. Strangers must not be able to displace the records of
/// admitted visitors; limits on the writing of records ensure that (`docs/retention.md`).
package struct Retention: Hashable, Sendable {
    /// The largest age of an entry. Older entries are evicted.
    package var age: Duration = .seconds(400 * 86_400)
    /// The size of the database in bytes above which the oldest entries are evicted. The default is enough for `age` at
    /// 2,000 visits a day.
    package var bytes = 2_000_000_000
    /// The largest number of entries, two for each visit. This limit applies even if age and size are not checked. The
    /// default is more than `bytes` has room for.
    package var entries = 4_000_000
    /// The number of entries above which entries are evicted even if the primary destination has not confirmed them.
    /// The destination never receives these entries.
    package var hardEntries = 5_000_000

    /// Creates a value whose properties have their defaults.
    package init() {}

    /// Returns the position up to which entries may be evicted because there are too many; nil if none may be evicted.
    ///
    /// - `firstOpen`: the position of the oldest intent without an outcome. It and all later entries stay.
    /// - `firstUnconfirmed`: ``DeliveryCursor/firstUnconfirmed`` of the primary destination. It and later entries are
    ///   evicted only above `hardEntries`, and the loss is counted.
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

    /// Returns whether the entries that the primary destination has not confirmed use more than seven eighths of
    /// ``bytes``. If so, the remaining room is reserved for visits for which the gate opens.
    ///
    /// - `size`: the size of the database in bytes. Unconfirmed entries are assumed to have the average size.
    package func isFilled(size: Int, start: ChainPoint, end: ChainPoint, firstUnconfirmed: Int?) -> Bool {
        guard let firstUnconfirmed else { return false }
        let kept = end.count - start.count
        let owed = end.count - max(firstUnconfirmed - 1, start.count)
        return kept > 0 && Double(size) * Double(owed) / Double(kept) > Double(bytes) * 7 / 8
    }

    /// Returns the position up to which entries may be evicted if age or lack of room requires that all entries up to
    /// `wanted` are evicted; nil if none may be evicted. Open intents, and the entries from `firstUnconfirmed` on,
    /// stay.
    package func evictable(upTo wanted: Int, start: ChainPoint, firstOpen: Int?, firstUnconfirmed: Int?) -> Int? {
        let last = [firstOpen, firstUnconfirmed].compactMap { $0 }.reduce(wanted) { min($0, $1 - 1) }
        return last > start.count ? last : nil
    }
}
