/// Why the gate does not use an agency's answer. The error contains no part of the answer.
package enum AgencyError: Error, Hashable, Sendable {
    /// The answer is no envelope for one of the gate's keys.
    case unreadable
    /// The sender of the answer is not the party that received the request.
    case foreignSender
    /// The answer is not JSON of the agency's protocol, or a member is absent, has a wrong type or is too long.
    case malformed
    /// The answer is the answer to another request.
    case otherAnswer
    /// The answer is a problem report.
    case problemReport
}
