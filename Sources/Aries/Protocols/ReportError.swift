/// Why a message about reports is refused. Each case describes the fault in this program's words, never in
/// the peer's.
package enum ReportError: Error, Hashable, Sendable {
    /// The member `member` of the peer's message is absent or has another form.
    case malformed(member: String)
    /// A position below 0 or beyond ``ReportPoint/positionLimit``.
    case position
    /// The peer's message is about another ledger.
    case otherLedger
    /// The peer's message confirms a point although the entries up to it were not sent.
    case neverSent
    /// The peer's message names another hash than the one that was sent with that position.
    case otherHash
    /// The peer's message answers a question that was not asked.
    case notAsked
    /// The message has more entries, or longer entries, than is allowed.
    case tooLarge
    /// The entries in the message do not follow each other.
    case outOfOrder
}
