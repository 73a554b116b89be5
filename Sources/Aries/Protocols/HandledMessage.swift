package import Encoding

/// The result of a message that the peer sent on its own initiative.
package enum HandledMessage: Hashable, Sendable {
    /// The gate carried out what the message says. The message expects no answer.
    case understood
    /// The gate answered the message according to the configured rules.
    case answered
    /// The gate refused the message, with the given code.
    case refused(code: Text)
    /// The message is a question that waits for the operator's answer.
    case undecided
    /// The message is a question for which the configuration has the given response, but the answer must be signed.
    /// Send it with ``AgentConnection/Event/respond(_:name:response:at:)``.
    case matched(response: Text)
}
