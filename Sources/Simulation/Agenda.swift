import Encoding

/// Things to do at given instants: in time order and, at one instant, in the order they were entered.
struct Agenda<Item: Sendable>: Sendable {
    private var entries: [(at: Instant, item: Item)] = []

    /// When the next thing is due; nil when there is none.
    var deadline: Instant? { entries.first?.at }

    /// Enters `item` for that instant.
    mutating func add(_ item: Item, at instant: Instant) {
        let position = entries.lastIndex { $0.at <= instant }.map { $0 + 1 } ?? 0
        entries.insert((instant, item), at: position)
    }

    /// Takes the next thing that is due by `now`, or returns nil.
    mutating func take(dueBy now: Instant) -> Item? {
        guard let first = entries.first, first.at <= now else { return nil }
        return entries.removeFirst().item
    }

    /// Forgets everything.
    mutating func clear() { entries.removeAll() }
}
