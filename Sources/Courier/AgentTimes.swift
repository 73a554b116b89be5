package import Aries
package import Mailboxes

/// The times of the courier that no key of the configuration sets.
package struct AgentTimes: Sendable {
    /// The time between two checks of the invitation files. A connection through a mailbox that is being tried is
    /// checked as often.
    package var look = Duration.seconds(10)
    /// The time that a second connection, through a mailbox, has for its handshake. After it the gate deletes that
    /// connection.
    package var trial = Duration.seconds(45)
    /// The minimum time between two fetches of messages that an agency's notifications cause.
    package var wake = Duration.seconds(2)
    /// The time limit for notifying a peer that its connection ends.
    package var farewell = Duration.seconds(5)
    /// The time limit for an agent's answer to the question whether it keeps messages for the gate.
    package var grant = MediationQuestion.answerTime
    /// The limits and times of a connection. The configuration sets the first and the longest wait between two
    /// attempts in them.
    package var connection = AgentConnection.Limits()
    /// The limits and times of a mailbox at a mediator.
    package var mediator = Mediator.Limits()

    /// Creates the documented defaults.
    package init() {}
}
