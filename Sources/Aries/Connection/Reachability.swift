/// Whether posts get through, as far as that is known: told when it changes and else not.
struct Reachability: Sendable {
    private var isReachable: Bool?

    /// Whether the last post failed.
    var isBroken: Bool { isReachable == false }

    /// A post got through (nil) or failed; whether that is news.
    mutating func changes(to failure: ExchangeFailure?) -> Bool {
        defer { isReachable = failure == nil }
        return isReachable != (failure == nil)
    }
}
