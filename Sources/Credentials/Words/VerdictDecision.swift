/// Whether the gate may open.
package enum VerdictDecision: String, Sendable {
    /// Every stage of the verification passed.
    case accept
    /// A stage of the verification failed.
    case reject
}
