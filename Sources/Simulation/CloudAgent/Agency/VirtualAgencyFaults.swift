package import Encoding

/// The simulated faults of a ``VirtualAgency``. Counters decrease with each occurrence.
package struct VirtualAgencyFaults: Sendable {
    /// The number of next answers that are lost after the message took effect.
    package var lostAnswers = 0
    /// The number of next messages that are answered with HTTP 500 and have no effect.
    package var errors = 0
    /// The number of next message lists in which the first message is repeated.
    package var duplicates = 0
    /// The number of next answers that are sent with a foreign key.
    package var foreignSenders = 0
    /// Whether answers with messages are in another order.
    package var reorders = false
    /// The delay of an answer.
    package var delay = Duration.zero
    /// Whether the server announces a foreign key as its own.
    package var hasOtherKey = false
    /// Whether every token counts as expired.
    package var expiresTokens = false
    /// Whether every sender is unauthorised.
    package var refusesAll = false
    /// Whether requests for the messages of all connections are refused, as when they would be too many for
    /// one answer.
    package var refusesBulk = false
    /// Whether updates of the messages' status have no effect, as if the client were killed before it sends
    /// them.
    package var ignoresReleases = false
    /// Messages that are put before the real messages in each answer and are never removed.
    package var strayMessages: [JSON] = []

    /// Creates a set without faults.
    package init() {}
}
