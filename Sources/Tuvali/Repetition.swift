/// The times at which a message is sent to the wallet and repeated. It is repeated for a wallet that might
/// not have been listening.
///
/// The Android wallet listens for report and verdict only after its Bluetooth stack has confirmed that its
/// report request was sent. A message that is sent earlier is lost, and the wallet has no timer for it. A
/// verifier that waits until every phone listens is late for all phones. Therefore messages are sent early
/// and repeated: the first message is for fast phones, a later one for slow phones.
package struct Repetition: Hashable, Sendable {
    /// The shortest pause allowed. So the wait cannot become a busy loop, whatever is configured.
    private static let shortestPause: Duration = .milliseconds(5)

    /// The time from the event that the message answers to the first message.
    package var holdBack: Duration
    /// Times from each message to the next; the last one repeats for as long as the state lasts. Empty: the
    /// message is sent once.
    package var pauses: [Duration]

    /// Sends after `holdBack` and again after each of `pauses`.
    package init(after holdBack: Duration, pauses: [Duration] = []) {
        (self.holdBack, self.pauses) = (holdBack, pauses)
    }

    /// Returns the time from message number `count` (from 1) to the next message; nil if no message follows.
    func pause(after count: Int) -> Duration? {
        guard let last = pauses.last else { return nil }
        let pause = pauses.indices.contains(count - 1) ? pauses[count - 1] : last
        return max(pause, Self.shortestPause)
    }
}
