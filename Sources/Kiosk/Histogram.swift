/// Counts of values between fixed bounds, and the sum of the values. The size is fixed, however many values
/// are counted.
package struct Histogram: Hashable, Sendable {
    /// The largest value of each class, ascending; values above the last bound have a class of their own.
    package let bounds: [Int]
    /// The number of values in each class. There is one class more than there are bounds.
    package private(set) var counts: [Int]
    /// The sum of all values.
    package private(set) var sum = 0

    /// Creates an empty histogram with the given upper bounds of its classes.
    package init(_ bounds: [Int]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// Creates a histogram that was counted elsewhere; nil unless there is one class more than there are bounds.
    package init?(bounds: [Int], counts: [Int], sum: Int) {
        guard counts.count == bounds.count + 1 else { return nil }
        (self.bounds, self.counts, self.sum) = (bounds, counts, sum)
    }

    /// The number of all values.
    package var count: Int { counts.reduce(0, +) }

    /// Counts a value; a negative value counts as zero.
    package mutating func count(_ value: Int) {
        let value = max(0, value)
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        let (total, isOver) = sum.addingReportingOverflow(value)
        sum = isOver ? .max : total
    }

    /// Returns the lowest bound that at least `percent` per cent of the values do not exceed; nil if there
    /// are no values, or if that bound is above the last one.
    package func bound(ofPercent percent: Int) -> Int? {
        var rest = (count * percent + 99) / 100
        guard rest > 0 else { return nil }
        for (bound, count) in zip(bounds, counts) {
            rest -= count
            if rest <= 0 { return bound }
        }
        return nil
    }
}
