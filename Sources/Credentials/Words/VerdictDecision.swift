/// What a verdict lets the gate do.
package enum VerdictDecision: String, Sendable {
    /// Every stage passed.
    case accept
    /// Some stage failed.
    case reject
}
