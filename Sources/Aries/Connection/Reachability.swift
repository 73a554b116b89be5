/// Whether posts succeed, as far as known. Only changes are reported.
package struct Reachability: Sendable {
    private var isReachable: Bool?

    /// Creates the state before the first post.
    package init() {}

    /// Whether the last post failed.
    package var isBroken: Bool { isReachable == false }

    /// Records a post that succeeded (nil) or failed. Returns whether that is a change.
    package mutating func changes(to failure: ExchangeFailure?) -> Bool {
        defer { isReachable = failure == nil }
        return isReachable != (failure == nil)
    }
}
