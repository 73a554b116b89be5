/// How many entries of the ledger stay on disk. Evicted ones leave their last hash behind, so the rest stays provable.
///
/// Only the oldest can go: the chain proves that nothing is missing between its start and its end, and an entry taken
/// out of the middle would look like one that was removed by hand. That strangers do not push out those who were let in
/// is therefore a matter of what is written at all (`docs/retention.md`).
package struct Retention: Hashable, Sendable {
    /// How long an entry is kept.
    package var age: Duration = .seconds(400 * 86_400)
    /// Bytes of the whole database beyond which older entries give way: those of `age` at 2,000 visits a day.
    package var bytes = 2_000_000_000
    /// Entries kept, two for each visit: what holds when nobody looks at age and size. More than fit into `bytes`.
    package var entries = 4_000_000
    /// Entries beyond which even those give way that the primary destination has not confirmed: the ledger is the outbox.
    package var hardEntries = 5_000_000

    /// The documented defaults.
    package init() {}

    /// The position up to which entries may go; nil: none.
    ///
    /// - `firstOpen`: position of the oldest intent without outcome; it and all behind it always stay.
    /// - `firstOwed`: ``DeliveryCursor/firstOwed`` of the primary destination; it goes only beyond `hardEntries`, and is counted.
    package func evictable(
        start: ChainPoint, end: ChainPoint, firstOpen: Int?, firstOwed: Int?
    ) -> Int? {
        let kept = end.count - start.count
        guard kept > entries else { return nil }
        var last = end.count - entries
        if let firstOwed, firstOwed <= last {
            last = kept > hardEntries ? max(firstOwed - 1, end.count - hardEntries) : firstOwed - 1
        }
        if let firstOpen { last = min(last, firstOpen - 1) }
        return last > start.count ? last : nil
    }

    /// Whether what the primary destination has not confirmed takes more than seven eighths of ``bytes``. From then on
    /// there is room only for visits for which the gate opens.
    ///
    /// - `size`: bytes of the database. The share of the entries that are owed is taken for their share of it.
    package func isFilled(size: Int, start: ChainPoint, end: ChainPoint, firstOwed: Int?) -> Bool {
        guard let firstOwed else { return false }
        let kept = end.count - start.count
        let owed = end.count - max(firstOwed - 1, start.count)
        return kept > 0 && Double(size) * Double(owed) / Double(kept) > Double(bytes) * 7 / 8
    }

    /// The position up to which entries may go when all up to `wanted` should, for their age or for lack of room; nil: none.
    /// Open ones stay, and those behind `firstOwed`.
    package func evictable(upTo wanted: Int, start: ChainPoint, firstOpen: Int?, firstOwed: Int?) -> Int? {
        let last = [firstOpen, firstOwed].compactMap { $0 }.reduce(wanted) { min($0, $1 - 1) }
        return last > start.count ? last : nil
    }
}
