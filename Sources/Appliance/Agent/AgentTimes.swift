package import Aries

/// The times by which a gate waits for its agents, as far as no key of the configuration sets them.
package struct AgentTimes: Sendable {
    /// Between two looks at the files of invitations, and at a connection that is tried.
    package var look = Duration.seconds(10)
    /// How long a connection through a mailbox may take before it is given up.
    package var trial = Duration.seconds(45)
    /// Between two looks for messages that posts of an agency lead to.
    package var wake = Duration.seconds(2)
    /// How long a peer may take to hear that its connection ends.
    package var farewell = Duration.seconds(5)
    /// How long an agent may take to say whether it keeps messages.
    package var grant = MediationQuestion.answerTime
    /// Bounds and times of a connection; the configuration sets its first and its longest wait between attempts.
    package var connection = AgentConnection.Limits()
    /// Bounds and times of a mailbox at a mediator.
    package var mediator = Mediator.Limits()

    /// The documented defaults.
    package init() {}
}
