package import Encoding

/// The result of a message that the peer sent on its own initiative.
package enum HandledMessage: Hashable, Sendable {
    /// The message was applied and expects no answer.
    case understood
    /// The message was answered by the configured rules.
    case answered
    /// The message was refused with the given code.
    case refused(code: Text)
    /// The message is a question that waits for the operator's answer.
    case undecided
    /// The message is a question with the given configured response, which must be signed. Answer it with
    /// ``AgentConnection/Event/respond(_:name:response:at:)``.
    case matched(response: Text)
}
