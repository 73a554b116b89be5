/// Why a message about reports is refused. Each case describes the fault in this program's words, never in
/// the peer's.
package enum ReportError: Error, Hashable, Sendable {
    /// The member is absent or has another form.
    case malformed(member: String)
    /// A position below 0 or beyond ``ReportPoint/positionLimit``.
    case position
    /// It is about another ledger.
    case otherLedger
    /// It confirms a point that nothing was sent up to.
    case neverSent
    /// It names another hash than the one that was sent with that position.
    case otherHash
    /// It answers a question that was not asked.
    case notAsked
    /// More entries, or longer ones, than a message may have.
    case tooLarge
    /// The entries do not follow each other.
    case outOfOrder
}
