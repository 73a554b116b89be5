package import Encoding

/// Things to do at given instants: in time order and, at one instant, in the order they were entered.
package struct Agenda<Item: Sendable>: Sendable {
    private var entries: [(at: Instant, item: Item)] = []

    /// Nothing to do.
    package init() {}

    /// When the next thing is due; nil when there is none.
    package var deadline: Instant? { entries.first?.at }

    /// Enters `item` for that instant.
    package mutating func add(_ item: Item, at instant: Instant) {
        let position = entries.lastIndex { $0.at <= instant }.map { $0 + 1 } ?? 0
        entries.insert((instant, item), at: position)
    }

    /// Takes the next thing that is due by `now`, or returns nil.
    package mutating func take(dueBy now: Instant) -> Item? {
        guard let first = entries.first, first.at <= now else { return nil }
        return entries.removeFirst().item
    }

    /// Forgets everything.
    package mutating func clear() { entries.removeAll() }
}
