/// How many entries of the ledger stay on disk. Evicted ones leave their last hash behind, so the rest stays provable.
package struct Retention: Hashable, Sendable {
    /// Entries kept, two for each visit; 200,000 (33 days at 3,000 visits a day, about 200 MB).
    package var entries = 200_000
    /// Entries beyond which even those give way whose report still waits (the outbox holds the report itself).
    package var hardEntries = 400_000

    /// The documented defaults.
    package init() {}

    /// The position up to which entries may go; nil: none.
    ///
    /// - `firstOpen`: position of the oldest intent without outcome; it and all behind it always stay.
    /// - `firstUnsent`: position of the oldest outcome whose report was never sent; evicted only beyond `hardEntries`.
    package func evictable(
        start: ChainPoint, end: ChainPoint, firstOpen: Int?, firstUnsent: Int?
    ) -> Int? {
        let kept = end.count - start.count
        guard kept > entries else { return nil }
        var last = end.count - entries
        if let firstUnsent, firstUnsent <= last {
            last = kept > hardEntries ? max(firstUnsent - 1, end.count - hardEntries) : firstUnsent - 1
        }
        if let firstOpen { last = min(last, firstOpen - 1) }
        return last > start.count ? last : nil
    }
}
