package import Encoding

/// verification-report/1.0: a gate sends the entries of its ledger to a keeper, and the keeper returns receipts.
///
/// - `records`, from the gate: `ledger`, `entries: [{position, hash, body}]`, and `head {position, hash,
///   signature}`, the end of the ledger at that time.
/// - `receipt`, from the keeper, in the thread of the `records`: `ledger`, `position`, `hash`, and `head`. It confirms
///   that the keeper has stored every entry up to this position durably.
/// - `head-query`, from the gate: `ledger`.
/// - `head`, from the keeper: `ledger`, `position`, `hash` of the last entry that the keeper has (position 0 if it has
///   none), and `head`.
///
/// In its member `head` the keeper returns, unchanged, the `head` that arrived together with the last entry that it
/// has. The gate accepts a keeper's statement as evidence against its own ledger only with such a head: a keeper can
/// invent a position, but not the gate's signature. A keeper may leave out `head`.
///
/// If a keeper cannot do what a message asks, it sends a notification/1.0/problem-report in the thread of that message,
/// with one of the codes of ``Trouble``.
package enum VerificationReport {
    /// The protocol's name and version.
    package static let name = ProtocolName("verification-report", 1, 0)

    /// The codes of problem reports about a `records` message.
    package enum Trouble {
        /// The keeper cannot store entries at present. The gate sends them again later.
        package static let notStored: Text = "records-not-stored"
        /// The message violates the rules of the protocol. The keeper would refuse it again.
        package static let refused: Text = "records-refused"
        /// The keeper refuses the entries because another connection already writes this ledger.
        package static let foreign: Text = "records-foreign"
        /// The code of agents for a message whose type or members they do not know.
        package static let unknown: Text = "message-parse-failure"
    }

    /// A message from a keeper to the gate.
    package enum Answer: Hashable, Sendable {
        /// The keeper has stored every entry up to the given point. `head`: the gate's head that arrived with the last
        /// of these entries; nil if the keeper did not return it.
        case receipt(ReportPoint, head: ReportPoint? = nil)
        /// The last entry that the keeper has is at the given point. `head`: the gate's head that arrived with this
        /// entry; nil if the keeper did not return it.
        case head(ReportPoint, head: ReportPoint? = nil)
    }

    /// Reads a keeper's message; nil if `message` is of another protocol, or is not one that a keeper sends.
    package static func answer(_ message: Message) throws(ReportError) -> Answer? {
        guard message.type.protocolName.family == name.family, message.type.protocolName.major == name.major else {
            return nil
        }
        switch message.type.name {
        case "receipt":
            let point = try ReportPoint(message.body)
            return .receipt(point, head: returned(message, point.ledger))
        case "head":
            let point = try ReportPoint(message.body)
            return .head(point, head: returned(message, point.ledger))
        default: return nil
        }
    }

    /// Returns the gate's head that the keeper returned in its message. An unreadable head counts as absent; the
    /// message remains valid.
    private static func returned(_ message: Message, _ ledger: Text) -> ReportPoint? {
        try? ReportPoint(head: message.body["head"], of: ledger)
    }

    /// Returns a keeper's message to the gate, in the thread `thread` of the gate's message that it answers.
    package static func message(_ answer: Answer, _ prefix: TypePrefix, id: Text, thread: Text) -> JSON {
        let (kind, point, head): (Text, ReportPoint, ReportPoint?) =
            switch answer {
            case .receipt(let point, let head): ("receipt", point, head)
            case .head(let point, let head): ("head", point, head)
            }
        let returned: [JSONObject.Member] = head.map { [.init("head", $0.head)] } ?? []
        return Message.make(MessageType(prefix, name, kind), id: id, thread: thread, point.members + returned)
    }

    /// Returns the query for the last entry of `ledger` that the keeper has.
    static func headQuery(_ ledger: Text, id: Text) -> OutboundMessage {
        OutboundMessage(id: id, name, "head-query", [.init("ledger", .string(ledger))])
    }

    /// Returns whether `protocols`, which a peer disclosed, contains verification-report in this major version.
    static func isAmong(_ protocols: [ProtocolName]) -> Bool {
        protocols.contains { $0.family == name.family && $0.major == name.major }
    }
}
