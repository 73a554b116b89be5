/// When a message is sent to the wallet, and when it is repeated for a wallet that may not have been listening.
///
/// The Android wallet listens for report and verdict only after its Bluetooth stack has confirmed that its
/// report request was sent. Anything sent earlier is lost, and the wallet has no timer of its own. A verifier
/// that waits until every phone listens is late for all phones. Therefore messages are sent early and
/// repeated: the first one serves fast phones, a later one serves slow phones.
package struct Repetition: Hashable, Sendable {
    /// The shortest pause allowed: whatever is configured, the wait cannot become a busy loop.
    private static let shortestPause: Duration = .milliseconds(5)

    /// Time from the event that is answered to the first message.
    package var holdBack: Duration
    /// Times from each message to the next; the last one repeats for as long as the state lasts. Empty: the
    /// message is sent once.
    package var pauses: [Duration]

    /// Sends after `holdBack` and again after each of `pauses`.
    package init(after holdBack: Duration, pauses: [Duration] = []) {
        (self.holdBack, self.pauses) = (holdBack, pauses)
    }

    /// Returns the time from message number `count` (from 1) to the next; nil when there is no next one.
    func pause(after count: Int) -> Duration? {
        guard let last = pauses.last else { return nil }
        let pause = pauses.indices.contains(count - 1) ? pauses[count - 1] : last
        return max(pause, Self.shortestPause)
    }
}
