/// The last values, at most ``capacity``, each once. Older values are forgotten.
package struct RecentSet<Value: Hashable & Sendable>: Sendable {
    /// The number of values that are remembered.
    let capacity: Int
    private var ring: [Value] = []
    private var oldest = 0
    private var known: Set<Value> = []

    /// Creates a set of up to `capacity` values; a capacity below one counts as one.
    package init(capacity: Int) { self.capacity = max(capacity, 1) }

    /// Returns whether a value is remembered.
    package func contains(_ value: Value) -> Bool { known.contains(value) }

    /// Remembers a value. Returns false if the value was known already.
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
