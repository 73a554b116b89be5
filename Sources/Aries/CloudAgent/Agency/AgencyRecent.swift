import Encoding

/// The names of the last messages, so many of them.
struct AgencyRecent: Sendable {
    private static let capacity = 1024
    private var order: [Text] = []
    private var oldest = 0
    private var known: Set<Text> = []

    /// Remembers a name; false when it was known.
    mutating func insert(_ uid: Text) -> Bool {
        guard known.insert(uid).inserted else { return false }
        if order.count < Self.capacity {
            order.append(uid)
        } else {
            known.remove(order[oldest])
            order[oldest] = uid
            oldest = (oldest + 1) % Self.capacity
        }
        return true
    }
}
