package import Encoding

/// The simulated faults of a ``VirtualAgency``. Each occurrence decreases its counter.
package struct VirtualAgencyFaults: Sendable {
    /// The number of answers to lose after their messages have taken effect.
    package var lostAnswers = 0
    /// The number of messages to answer with HTTP 500 without any effect.
    package var errors = 0
    /// The number of next message lists in which the first message is repeated.
    package var duplicates = 0
    /// The number of answers to send with a foreign key.
    package var foreignSenders = 0
    /// Whether to change the order of messages in answers.
    package var reorders = false
    /// The delay of an answer.
    package var delay = Duration.zero
    /// Whether the server announces a foreign key as its own.
    package var hasOtherKey = false
    /// Whether every token counts as expired.
    package var expiresTokens = false
    /// Whether every sender is unauthorised.
    package var refusesAll = false
    /// Whether to refuse requests for the messages of all connections, as a server does that has too many for one
    /// answer.
    package var refusesBulk = false
    /// Whether to ignore updates of the messages' status, as if the client were killed before it sent them.
    package var ignoresReleases = false
    /// Messages that precede the real messages in each answer and are never removed.
    package var strayMessages: [JSON] = []

    /// Creates a set without faults.
    package init() {}
}
