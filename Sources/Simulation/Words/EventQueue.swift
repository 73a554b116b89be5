package import Encoding

/// A queue of items with due times, in time order. Items with the same time keep the order of their insertion.
package struct EventQueue<Item: Sendable>: Sendable {
    private var entries: [(at: Instant, item: Item)] = []

    /// Creates an empty queue.
    package init() {}

    /// The time of the next item; nil for an empty queue.
    package var deadline: Instant? { entries.first?.at }

    /// Adds `item`, which is due at the instant `instant`.
    package mutating func add(_ item: Item, at instant: Instant) {
        let position = entries.lastIndex { $0.at <= instant }.map { $0 + 1 } ?? 0
        entries.insert((instant, item), at: position)
    }

    /// Removes and returns the next item that is due by `now`; nil if no item is due.
    package mutating func take(dueBy now: Instant) -> Item? {
        guard let first = entries.first, first.at <= now else { return nil }
        return entries.removeFirst().item
    }

    /// Removes all items.
    package mutating func clear() { entries.removeAll() }
}
