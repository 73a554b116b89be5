import Encoding

/// Chooses the advertisements on the air if there are more advertisements than advertising places. Each place except
/// the last has one advertisement, in order. The remaining advertisements are shown in the last place one after
/// another, each for a turn of the duration `length`. If there is only one place, every second turn belongs to the
/// first advertisement.
struct AdvertisingTurns: Sendable {
    private let length: Duration
    private var first: Advertisement?
    private var holder: Advertisement?
    private var lastOther: Advertisement?
    private var isShared = false
    /// The end of the present turn; nil before the turn begins, or if no other advertisement waits.
    private(set) var end: Instant?

    init(length: Duration) {
        self.length = length
    }

    /// Returns the advertisements to show now, at most one for each place.
    mutating func choose(from list: [Advertisement], places: Int, at now: Instant) -> [Advertisement] {
        // An empty list does not end a turn. Otherwise, with many phones that connect and leave, the turn would restart
        // each time and never end.
        guard places > 0, !list.isEmpty else { return [] }
        let sharing = Array(list.dropFirst(places - 1))
        isShared = sharing.count > 1
        // A new advertisement at the head of the list is shown at once.
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

    /// Notes that the last choice is on the air. Phones that connect and leave do not lengthen the turn.
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
