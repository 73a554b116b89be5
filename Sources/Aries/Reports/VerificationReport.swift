package import Encoding

/// verification-report/1.0: entries of a ledger go to whoever keeps them, receipts come back.
///
/// | message | from | members |
/// |---|---|---|
/// | `records` | kiosk | `ledger`, `entries: [{position, hash, body}]`, `head {position, hash}`: where the ledger ends now |
/// | `receipt` | keeper | `ledger`, `position`, `hash`: stored durably up to here, in the thread of the records |
/// | `head-query` | kiosk | `ledger` |
/// | `head` | keeper | `ledger`, `position`, `hash`: the last entry that it has; position 0 when it has none |
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
        /// Stored up to here.
        case receipt(ReportPoint)
        /// The last entry that the peer has.
        case head(ReportPoint)
    }

    /// Reads a keeper's message; nil for one of another protocol or name.
    package static func answer(_ message: Message) throws(ReportError) -> Answer? {
        guard message.type.protocolName.family == name.family, message.type.protocolName.major == name.major else {
            return nil
        }
        switch message.type.name {
        case "receipt": return .receipt(try ReportPoint(message.body))
        case "head": return .head(try ReportPoint(message.body))
        default: return nil
        }
    }

    /// A keeper's message in the thread of the one that it answers.
    package static func message(_ answer: Answer, _ prefix: TypePrefix, id: Text, thread: Text) -> JSON {
        switch answer {
        case .receipt(let point):
            Message.make(MessageType(prefix, name, "receipt"), id: id, thread: thread, point.members)
        case .head(let point): Message.make(MessageType(prefix, name, "head"), id: id, thread: thread, point.members)
        }
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
