package import Aries
package import Mailboxes

/// The waiting times for agents that no key of the configuration sets.
package struct AgentTimes: Sendable {
    /// The time between two checks of the invitation files, and of a connection that is being tried.
    package var look = Duration.seconds(10)
    /// How long a second connection through a mailbox may take before the gate gives it up.
    package var trial = Duration.seconds(45)
    /// The minimum time between two fetches that posts of an agency trigger.
    package var wake = Duration.seconds(2)
    /// The time limit for notifying a peer that its connection ends.
    package var farewell = Duration.seconds(5)
    /// The time limit for an agent's answer whether it keeps messages.
    package var grant = MediationQuestion.answerTime
    /// The limits and times of a connection. The configuration sets its first and its longest wait between
    /// attempts.
    package var connection = AgentConnection.Limits()
    /// The limits and times of a mailbox at a mediator.
    package var mediator = Mediator.Limits()

    /// Creates the documented defaults.
    package init() {}
}
