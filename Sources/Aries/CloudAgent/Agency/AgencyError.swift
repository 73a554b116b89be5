/// Why an agency's answer is not used. Nothing of the answer is in it.
package enum AgencyError: Error, Hashable, Sendable {
    /// It is no envelope for one of our keys.
    case unreadable
    /// Somebody else than who was asked wrote it.
    case foreignSender
    /// It is not JSON of the protocol's form, or a member is absent, of another kind or too long.
    case malformed
    /// It answers another request.
    case otherAnswer
    /// It is a problem report.
    case problemReport
}
