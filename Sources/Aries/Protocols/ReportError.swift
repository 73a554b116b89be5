/// Why a message about reports is refused. The cases contain no text of the peer.
package enum ReportError: Error, Hashable, Sendable {
    /// The member `member` of the peer's message is absent or has another form.
    case malformed(member: String)
    /// A position in the message is below 0 or above ``ReportPoint/positionLimit``.
    case position
    /// The peer's message is about another ledger.
    case otherLedger
    /// The peer's message confirms entries that the gate has not sent.
    case neverSent
    /// The hash that the message states for a position differs from the hash that the gate sent, or from the hash of
    /// the same position elsewhere in the message.
    case otherHash
    /// The peer's message answers a question that the gate did not ask.
    case notAsked
    /// The message has more entries, or longer entries, than is allowed.
    case tooLarge
    /// The positions of the entries in the message are not consecutive, or the head is before the last entry.
    case outOfOrder
}
