import Aries
import DIDComm
import Encoding
import Mailboxes
import Store

extension MessageEntry {
    /// Creates the entry for a message that a peer sent on its own initiative and that had the given result.
    init(
        _ message: Message, _ result: HandledMessage, uid: Text, of connection: Text, did: Text, at date: Timestamp
    ) {
        // Store the text of a question that waits, because it is needed for the answer. No other text is stored: the
        // agent has it.
        let content = result == .undecided ? message.body.compactBytes : []
        let isKept = content.count <= CourierStore.messageBytes
        let (status, words): (Status, Text) =
            switch result {
            case .understood: (.reviewed, "understood")
            case .answered: (.accepted, "answered")
            case .refused(let code): (.rejected, "refused: \(code)")
            case .undecided: isKept ? (.pending, "waiting for an answer") : (.reviewed, "too long to keep")
            case .matched: (.pending, AnswerChange.waits)
            }
        self.init(
            uid: uid, connection: connection, did: did, kind: SDKMessages.kind(of: message.type), at: date,
            status: status, result: words, content: isKept ? content : [])
    }
}

extension AnswerChange {
    /// The result of a question whose answer was given but not sent yet.
    static let waits: Text = "its answer waits to be sent"

    /// Creates the change of the question `uid` for its answer `response`. `fate`: what has become of the answer.
    init(_ uid: Text, response: Text, _ fate: OwedAnswer.Fate) {
        switch fate {
        case .owed: self.init(uid: uid, status: .pending, result: Self.waits)
        case .sent: self.init(uid: uid, status: .accepted, result: "answered: \(response)")
        case .refused(let status):
            self.init(
                uid: uid, status: .rejected,
                result: "not answered: the agent's server refused \"\(response)\" (HTTP \(status))")
        case .dropped:
            self.init(
                uid: uid, status: .rejected,
                result: "not answered: too many answers wait, or the connection has ended")
        }
    }
}
