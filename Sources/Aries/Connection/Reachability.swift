/// Whether posts succeed, as far as known. Only changes are reported.
struct Reachability: Sendable {
    private var isReachable: Bool?

    /// Whether the last post failed.
    var isBroken: Bool { isReachable == false }

    /// Records a post that succeeded (nil) or failed. Returns whether that is a change.
    mutating func changes(to failure: ExchangeFailure?) -> Bool {
        defer { isReachable = failure == nil }
        return isReachable != (failure == nil)
    }
}
