/// How many entries of the ledger stay on disk. Evicted ones leave their last hash behind, so the rest stays provable.
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

    /// The position up to which entries may go when all up to `wanted` should, for their age or for lack of room; nil: none.
    /// Open ones stay, and those behind `firstOwed`.
    package func evictable(upTo wanted: Int, start: ChainPoint, firstOpen: Int?, firstOwed: Int?) -> Int? {
        let last = [firstOpen, firstOwed].compactMap { $0 }.reduce(wanted) { min($0, $1 - 1) }
        return last > start.count ? last : nil
    }
}
