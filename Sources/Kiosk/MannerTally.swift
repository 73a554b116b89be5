import BluetoothHost
import Encoding

/// Which kinds of devices have come lately, again and again, in vain: without identifying, or without bringing anything then.
///
/// Such a device uses another address each time, so it is known by its manner, which it may share with honest phones. What follows
/// is therefore an order and a shorter time: whoever has such a manner makes room before the others, and one that does better
/// speaks for its kind. A kind of which one in five does is not suspect for long.
struct MannerTally: Sendable {
    /// Manners that are remembered; the least of them is forgotten for a new one.
    static let known = 16
    /// Visits in vain from which on a manner is suspect, the most that are remembered, and the time in which one is forgotten.
    static let suspicion = 4
    static let most = 12
    static let decay: Duration = .seconds(5)

    private var entries: [(manner: PeerManner, count: Int, at: Instant)] = []

    /// Somebody of that manner has left, or was sent away, in vain.
    mutating func vain(_ manner: PeerManner, at now: Instant) {
        settle(at: now)
        guard let index = entries.firstIndex(where: { $0.manner == manner }) else {
            if entries.count >= Self.known,
                let least = entries.indices.min(by: { entries[$0].count < entries[$1].count })
            {
                entries.remove(at: least)
            }
            return entries.append((manner, 1, now))
        }
        entries[index].count = min(entries[index].count + 1, Self.most)
    }

    /// Somebody of that manner has not come in vain.
    mutating func served(_ manner: PeerManner, at now: Instant) {
        settle(at: now)
        guard let index = entries.firstIndex(where: { $0.manner == manner }) else { return }
        entries[index].count -= Self.suspicion
        if entries[index].count <= 0 { entries.remove(at: index) }
    }

    /// Whether devices of that manner keep coming in vain.
    func isSuspect(_ manner: PeerManner, at now: Instant) -> Bool {
        guard let entry = entries.first(where: { $0.manner == manner }) else { return false }
        return entry.count - Self.periods(from: entry.at, to: now) >= Self.suspicion
    }

    /// Forgets what is over.
    private mutating func settle(at now: Instant) {
        for index in entries.indices {
            let periods = Self.periods(from: entries[index].at, to: now)
            entries[index].count -= periods
            entries[index].at = entries[index].at.advanced(by: Self.decay * periods)
        }
        entries.removeAll { $0.count <= 0 }
    }

    private static func periods(from start: Instant, to now: Instant) -> Int {
        Int(start.duration(to: now).nanoseconds / decay.nanoseconds)
    }
}
