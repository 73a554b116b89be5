/// The decision of a verdict about the gate.
package enum VerdictDecision: String, Sendable {
    /// Every stage passed.
    case accept
    /// A stage failed.
    case reject
}
