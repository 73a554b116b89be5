/// Whether posts to a peer succeed. It is used to report only changes.
package struct Reachability: Sendable {
    private var isReachable: Bool?

    /// Creates the state before the first post.
    package init() {}

    /// Whether the last post failed.
    package var isBroken: Bool { isReachable == false }

    /// Records that a post succeeded (nil) or failed. Returns whether the state changed, which is true for the first
    /// post.
    package mutating func changes(to failure: ExchangeFailure?) -> Bool {
        defer { isReachable = failure == nil }
        return isReachable != (failure == nil)
    }
}
