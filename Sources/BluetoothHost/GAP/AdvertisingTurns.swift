import Encoding

/// Who is on the air where there are more advertisements than places: the first ones have a place each, the others take turns on
/// the last. Where there is only that one, every second turn is the first one's.
struct AdvertisingTurns: Sendable {
    private let length: Duration
    private var first: Advertisement?
    private var holder: Advertisement?
    private var lastOther: Advertisement?
    private var isShared = false
    /// When the present turn is over; nil: it has not begun, or nobody else waits.
    private(set) var end: Instant?

    /// Turns of that length.
    init(length: Duration) {
        self.length = length
    }

    /// The advertisements to show now, as many as there are places at most.
    mutating func choose(from list: [Advertisement], places: Int, at now: Instant) -> [Advertisement] {
        // Silence ends no turn: where many phones come and go, it would begin anew each time and last for ever.
        guard places > 0, !list.isEmpty else { return [] }
        let sharing = Array(list.dropFirst(places - 1))
        isShared = sharing.count > 1
        // Whoever is new at the head goes on the air at once.
        if places == 1, let head = list.first, head != first { (holder, end) = (nil, nil) }
        first = list.first ?? first
        guard isShared else {
            if let only = sharing.first { take(only) }
            end = nil
            return list
        }
        if let holder, sharing.contains(holder), end.map({ now < $0 }) ?? true {
            return list.prefix(places - 1) + [holder]
        }
        let next = successor(in: sharing, hasHead: places == 1)
        take(next)
        if places > 1 || next != sharing[0] { lastOther = next }
        end = nil
        return list.prefix(places - 1) + [next]
    }

    /// What was chosen last is on the air. Phones that come and go meanwhile do not make the turn longer.
    mutating func begun(at now: Instant) {
        if isShared, end == nil { end = now.advanced(by: length) }
    }

    private mutating func take(_ advertisement: Advertisement) {
        if holder != advertisement { (holder, end) = (advertisement, nil) }
    }

    private func successor(in sharing: [Advertisement], hasHead: Bool) -> Advertisement {
        guard let holder, sharing.contains(holder) || hasHead else { return sharing[0] }
        if hasHead, holder != sharing[0] { return sharing[0] }
        let others = hasHead ? Array(sharing.dropFirst()) : sharing
        guard let index = lastOther.flatMap({ others.firstIndex(of: $0) }), index + 1 < others.count else {
            return others[0]
        }
        return others[index + 1]
    }
}
