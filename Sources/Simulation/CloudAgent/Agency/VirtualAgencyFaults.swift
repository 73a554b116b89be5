package import Encoding

/// What goes wrong at a ``VirtualAgency``, each counted down as it happens.
package struct VirtualAgencyFaults: Sendable {
    /// So many of the next answers get lost after the message took effect.
    package var lostAnswers = 0
    /// So many of the next messages are answered by HTTP 500 and have no effect.
    package var errors = 0
    /// So many of the next answers with messages repeat their first one.
    package var duplicates = 0
    /// So many of the next answers are written by somebody else's key.
    package var foreignSenders = 0
    /// Whether answers with messages are in another order.
    package var reorders = false
    /// How long an answer takes.
    package var delay = Duration.zero
    /// Whether the server names another key as its own.
    package var hasOtherKey = false
    /// Whether every token is too old.
    package var expiresTokens = false
    /// Whether everybody is unauthorised.
    package var refusesAll = false
    /// Whether the messages of all connections are refused, as where they would be too many for one answer.
    package var refusesBulk = false
    /// Whether releases of messages have no effect, as where who sends them is killed before.
    package var ignoresReleases = false
    /// What stands before the messages of each answer and never goes away.
    package var strayMessages: [JSON] = []

    /// Nothing goes wrong.
    package init() {}
}
