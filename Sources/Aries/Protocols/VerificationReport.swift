package import Encoding

/// verification-report/1.0: a gate sends entries of its ledger to a keeper, and the keeper returns receipts.
///
/// - `records`, from the gate: `ledger`, `entries: [{position, hash, body}]`, and `head {position, hash,
///   signature}`, the present end of the ledger.
/// - `receipt`, from the keeper, in the thread of the records: `ledger`, `position`, `hash`: every entry up
///   to this one is stored durably; and `head`.
/// - `head-query`, from the gate: `ledger`.
/// - `head`, from the keeper: `ledger`, `position`, `hash`: the last entry that the keeper has, position 0 if
///   it has none; and `head`.
///
/// The keeper returns, unchanged, the `head` that arrived with the last entry that it has. A keeper's claim
/// counts against the gate's ledger only with such a head: a keeper can invent a position, but not the gate's
/// signature. A keeper that returns no head works, too.
///
/// A keeper reports what it cannot do with notification/1.0/problem-report in the thread of the records, with
/// one of the codes of ``Trouble``.
package enum VerificationReport {
    /// The protocol's name and version.
    package static let name = ProtocolName("verification-report", 1, 0)

    /// Codes of problem reports about records.
    package enum Trouble {
        /// The keeper stores nothing at present. The gate has to send the records again later.
        package static let notStored: Text = "records-not-stored"
        /// The message violates the rules and will be refused again.
        package static let refused: Text = "records-refused"
        /// Another connection writes the same ledger.
        package static let foreign: Text = "records-foreign"
        /// The code with which agents answer a message whose type or members they do not know.
        package static let unknown: Text = "message-parse-failure"
    }

    /// A keeper's message to the gate.
    package enum Answer: Hashable, Sendable {
        /// The keeper stored every entry up to the given point. `head`: the gate's own head that arrived with
        /// that entry, returned unchanged; nil if the keeper returned none.
        case receipt(ReportPoint, head: ReportPoint? = nil)
        /// The keeper stated the last entry that it has. `head`: the gate's own head that arrived with that
        /// entry, returned unchanged; nil if the keeper returned none.
        case head(ReportPoint, head: ReportPoint? = nil)
    }

    /// Reads a keeper's message; nil for a message of another protocol or name.
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

    /// Returns the gate's own head that the keeper returned in an answer. An unreadable head counts as
    /// absent, and the rest of the answer stays valid.
    private static func returned(_ message: Message, _ ledger: Text) -> ReportPoint? {
        try? ReportPoint(head: message.body["head"], of: ledger)
    }

    /// Returns a keeper's message in the thread of the message that it answers.
    package static func message(_ answer: Answer, _ prefix: TypePrefix, id: Text, thread: Text) -> JSON {
        let (kind, point, head): (Text, ReportPoint, ReportPoint?) =
            switch answer {
            case .receipt(let point, let head): ("receipt", point, head)
            case .head(let point, let head): ("head", point, head)
            }
        let returned: [JSONObject.Member] = head.map { [.init("head", $0.head)] } ?? []
        return Message.make(MessageType(prefix, name, kind), id: id, thread: thread, point.members + returned)
    }

    /// Returns the question for the last entry of `ledger` that the peer has.
    static func headQuery(_ ledger: Text, id: Text) -> OutboundMessage {
        OutboundMessage(id: id, name, "head-query", [.init("ledger", .string(ledger))])
    }

    /// Returns whether a disclosed list of protocols contains verification-report.
    static func isAmong(_ protocols: [ProtocolName]) -> Bool {
        protocols.contains { $0.family == name.family && $0.major == name.major }
    }
}
