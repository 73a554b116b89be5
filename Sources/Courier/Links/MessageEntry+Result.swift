import Aries
import DIDComm
import Encoding
import Mailboxes
import Store

extension MessageEntry {
    /// Creates the entry of a message that a peer started and that had the given result.
    init(
        _ message: Message, _ result: HandledMessage, uid: Text, of connection: Text, did: Text, at date: Timestamp
    ) {
        let content = message.body.compactBytes
        let isKept = content.count <= Store.messageBytes
        let (status, words): (Status, Text) =
            switch result {
            case .understood: (.reviewed, "understood")
            case .answered: (.accepted, "answered")
            case .refused(let code): (.rejected, "refused: \(code)")
            // Without its text a question cannot be answered later.
            case .undecided: isKept ? (.pending, "waiting for an answer") : (.reviewed, "too long to keep")
            case .matched(let response): (.accepted, "answered: \(response)")
            }
        self.init(
            uid: uid, connection: connection, did: did, kind: SDKMessages.kind(of: message.type), at: date,
            status: status, result: words, content: isKept ? content : [])
    }
}
