/// Why an agency's answer is not used. The error contains no part of the answer.
package enum AgencyError: Error, Hashable, Sendable {
    /// The answer is no envelope for one of the gate's keys.
    case unreadable
    /// The sender of the answer is not the party that was asked.
    case foreignSender
    /// The answer is not JSON of the protocol's form, or a member is absent, of another kind or too long.
    case malformed
    /// The answer belongs to another request.
    case otherAnswer
    /// The answer is a problem report.
    case problemReport
}
