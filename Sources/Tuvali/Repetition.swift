/// When something is told, and told again to a wallet that may not have been listening.
///
/// The Android wallet listens for report and verdict only from its stack's word on that its report request has left; what
/// comes earlier is lost, and it has no timer of its own. Whoever waits until every phone listens is late for all of them,
/// so things are told early and again: the first time serves the quick ones, a later one the slow.
package struct Repetition: Hashable, Sendable {
    /// The shortest pause there is: whatever is configured, a wait cannot become a loop.
    private static let shortestPause: Duration = .milliseconds(5)

    /// From what is answered to the first time.
    package var holdBack: Duration
    /// From each time to the next; the last one goes on for as long as the state lasts. Empty: it is told once.
    package var pauses: [Duration]

    /// Told after `holdBack` and again after each of `pauses`.
    package init(after holdBack: Duration, pauses: [Duration] = []) {
        (self.holdBack, self.pauses) = (holdBack, pauses)
    }

    /// From time number `count` (from 1) to the next; nil when there is none.
    func pause(after count: Int) -> Duration? {
        guard let last = pauses.last else { return nil }
        let pause = pauses.indices.contains(count - 1) ? pauses[count - 1] : last
        return max(pause, Self.shortestPause)
    }
}
