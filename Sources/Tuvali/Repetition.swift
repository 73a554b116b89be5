/// The times at which a message to the wallet is sent and repeated.
///
/// The Android wallet listens for report and verdict only after its Bluetooth stack has confirmed its report request.
/// An earlier message is lost, and the wallet has no timer for it. A verifier that waits until the slowest phone
/// listens is late for all phones. Therefore the first message is sent early, for fast phones, and repeated for slow
/// phones.
package struct Repetition: Hashable, Sendable {
    /// The minimum pause. It prevents a busy loop under any configuration.
    private static let shortestPause: Duration = .milliseconds(5)

    /// The time from the event that the message answers to the first message.
    package var holdBack: Duration
    /// The times from each message to the next. The last of these times repeats until the session no longer repeats
    /// the message. If the list is empty, the message is sent once.
    package var pauses: [Duration]

    /// Creates a repetition: the first message after `holdBack`, a further message after each of `pauses`.
    package init(after holdBack: Duration, pauses: [Duration] = []) {
        (self.holdBack, self.pauses) = (holdBack, pauses)
    }

    /// Returns the time from message number `count` (from 1) to the next message; nil if there is no next message.
    func pause(after count: Int) -> Duration? {
        guard let last = pauses.last else { return nil }
        let pause = pauses.indices.contains(count - 1) ? pauses[count - 1] : last
        return max(pause, Self.shortestPause)
    }
}
