/// The last ``capacity`` different values. When a new value is inserted into a full set, the oldest is removed.
package struct RecentSet<Value: Hashable & Sendable>: Sendable {
    /// The largest number of values in the set.
    let capacity: Int
    private var ring: [Value] = []
    private var oldest = 0
    private var known: Set<Value> = []

    /// Creates a set of up to `capacity` values; a capacity below one counts as one.
    package init(capacity: Int) { self.capacity = max(capacity, 1) }

    /// Returns whether the set contains a value.
    package func contains(_ value: Value) -> Bool { known.contains(value) }

    /// Inserts a value. Returns false if the set contained it already.
    package mutating func insert(_ value: Value) -> Bool {
        guard known.insert(value).inserted else { return false }
        if ring.count < capacity {
            ring.append(value)
        } else {
            known.remove(ring[oldest])
            ring[oldest] = value
            oldest = (oldest + 1) % capacity
        }
        return true
    }
}
