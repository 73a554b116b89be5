package import Encoding

/// verification-report/1.0: entries of a ledger go to whoever keeps them, receipts come back.
///
/// | message | from | members |
/// |---|---|---|
/// | `records` | kiosk | `ledger`, `entries: [{position, hash, body}]`, `head {position, hash, signature}`: where the ledger ends now |
/// | `receipt` | keeper | `ledger`, `position`, `hash`: stored durably up to here, in the thread of the records; `head` |
/// | `head-query` | kiosk | `ledger` |
/// | `head` | keeper | `ledger`, `position`, `hash`: the last entry that it has; position 0 when it has none; `head` |
///
/// The keeper gives back, unchanged, the `head` that came with the last entry it has. A claim of a keeper counts
/// against this box's ledger only with such a head: a keeper can invent a position, but not our signature. A keeper
/// that gives none back works all the same.
///
/// What the keeper cannot do it says with notification/1.0/problem-report in the thread of the records, with one of the codes of
/// ``Trouble``.
package enum VerificationReport {
    /// The protocol's name and version.
    package static let name = ProtocolName("verification-report", 1, 0)

    /// Codes of problem reports about records.
    package enum Trouble {
        /// Nothing is stored at present: send it again later.
        package static let notStored: Text = "records-not-stored"
        /// The message is against the rules and will be refused again.
        package static let refused: Text = "records-refused"
        /// Another connection writes this ledger.
        package static let foreign: Text = "records-foreign"
        /// What agents say of a message whose type or members they do not know.
        package static let unknown: Text = "message-parse-failure"
    }

    /// What a keeper tells the kiosk.
    package enum Answer: Hashable, Sendable {
        /// Stored up to here; with the head that it gives back.
        case receipt(ReportPoint, head: ReportPoint? = nil)
        /// The last entry that the peer has; with the head that it gives back.
        case head(ReportPoint, head: ReportPoint? = nil)
    }

    /// Reads a keeper's message; nil for one of another protocol or name.
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

    /// The head that an answer gives back. One that cannot be read counts as none, and the rest of the message is
    /// valid.
    private static func returned(_ message: Message, _ ledger: Text) -> ReportPoint? {
        try? ReportPoint(head: message.body["head"], of: ledger)
    }

    /// A keeper's message in the thread of the one that it answers.
    package static func message(_ answer: Answer, _ prefix: TypePrefix, id: Text, thread: Text) -> JSON {
        let (kind, point, head): (Text, ReportPoint, ReportPoint?) =
            switch answer {
            case .receipt(let point, let head): ("receipt", point, head)
            case .head(let point, let head): ("head", point, head)
            }
        let returned: [JSONObject.Member] = head.map { [.init("head", $0.head)] } ?? []
        return Message.make(MessageType(prefix, name, kind), id: id, thread: thread, point.members + returned)
    }

    /// Asks for the last entry of `ledger` that the peer has.
    static func headQuery(_ ledger: Text, id: Text) -> OutboundMessage {
        OutboundMessage(id: id, name, "head-query", [.init("ledger", .string(ledger))])
    }

    /// Whether a disclosed list of protocols has this one.
    static func isAmong(_ protocols: [ProtocolName]) -> Bool {
        protocols.contains { $0.family == name.family && $0.major == name.major }
    }
}
