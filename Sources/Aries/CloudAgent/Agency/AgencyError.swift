/// Why an agency's answer is not used. It contains nothing of the answer.
package enum AgencyError: Error, Hashable, Sendable {
    /// It is no envelope for one of the gate's keys.
    case unreadable
    /// Its sender is not the party that was asked.
    case foreignSender
    /// It is not JSON of the protocol's form, or a member is absent, of another kind or too long.
    case malformed
    /// It answers another request.
    case otherAnswer
    /// It is a problem report.
    case problemReport
}
