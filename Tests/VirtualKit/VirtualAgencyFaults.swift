package import Encoding

/// The faults that a ``VirtualAgency`` simulates. A fault with a number occurs that many times.
package struct VirtualAgencyFaults: Sendable {
    /// The number of next answers that are lost after their requests have taken effect.
    package var lostAnswers = 0
    /// The number of next requests that are answered with HTTP 500 and have no effect.
    package var errors = 0
    /// The number of next lists of messages in which the first message is repeated at the end.
    package var duplicates = 0
    /// The number of next answers that are encrypted with a foreign sender's key.
    package var foreignSenders = 0
    /// Whether messages are in reverse order in answers.
    package var reorders = false
    /// The delay of each answer.
    package var delay = Duration.zero
    /// Whether the agency announces a foreign key as its own.
    package var hasOtherKey = false
    /// Whether every token counts as expired.
    package var expiresTokens = false
    /// Whether the agency rejects every sender as unauthorised.
    package var refusesAll = false
    /// Whether the agency rejects requests for the messages of all connections, as a server does that has too many
    /// messages for one answer.
    package var refusesBulk = false
    /// Whether the agency ignores changes of the messages' status, as if the client had been killed before it sent
    /// them.
    package var ignoresReleases = false
    /// Messages that the agency adds before the real messages of each list, and never removes.
    package var strayMessages: [JSON] = []

    /// Creates a set without faults.
    package init() {}
}
