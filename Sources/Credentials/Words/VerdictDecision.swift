/// Whether a verdict accepts, so that the gate may be opened.
package enum VerdictDecision: String, Sendable {
    /// Every stage of the verification passed.
    case accept
    /// A stage of the verification failed.
    case reject
}
