package import Aries
package import Encoding

/// The structure in which the mobile SDK returns the messages of an agency, and which its documents describe:
/// three levels of JSON, the inner two as texts.
///
/// The kind of a message is the SDK's own name and not its type: a connection response is only `aries`. Code
/// that depends on the type must read the `@type` of the inner message.
package enum SDKMessages {
    /// One message of a connection.
    package struct Entry: Hashable, Sendable {
        /// The mailbox's id of the message.
        package let uid: Text
        /// The state of the message, such as MS-103.
        package let statusCode: Text
        /// The Aries message; nil for a message that cannot be read. The SDK shows such a message as `null`.
        package let message: JSON?

        /// The SDK's name for the type, if the message itself was not kept.
        package let kind: Text?
        /// When the gate handled the message; nil if that is not known.
        package let time: Timestamp?
        /// The result of the message; nil if that is not known.
        package let result: Text?

        /// Creates an entry for one message.
        package init(
            uid: Text, statusCode: Text, message: JSON?, kind: Text? = nil, time: Timestamp? = nil,
            result: Text? = nil
        ) {
            (self.uid, self.statusCode, self.message) = (uid, statusCode, message)
            (self.kind, self.time, self.result) = (kind, time, result)
        }
    }

    /// Returns the messages of one connection. `pairwiseDID`: the gate's DID in that connection.
    package static func connection(_ pairwiseDID: Text, _ entries: [Entry]) -> JSON {
        ["pairwiseDID": .string(pairwiseDID), "msgs": .array(entries.map(message))]
    }

    /// Returns one message. Beyond the SDK's members it has, where known, the kind, the time and the result.
    package static func message(_ entry: Entry) -> JSON {
        var members: JSONObject = [
            "statusCode": .string(entry.statusCode), "payload": nil, "senderDID": "", "uid": .string(entry.uid),
            "type": "aries", "refMsgId": nil, "deliveryDetails": [],
            "decryptedPayload": .text(decryptedPayload(entry.message)),
        ]
        if let kind = entry.kind { members["kind"] = .string(kind) }
        if let time = entry.time { members["time"] = .text(time.rfc3339) }
        if let result = entry.result { members["result"] = .string(result) }
        return .object(members)
    }

    private static func decryptedPayload(_ message: JSON?) -> String {
        guard let message else { return "null" }
        let kind = kind(of: message["@type"]?.string.flatMap { MessageType($0) })
        let payload: JSON = [
            "@type": ["name": .string(kind), "ver": "1.0", "fmt": "json"], "@msg": .text(message.compactText),
        ]
        return payload.compactText
    }

    /// Returns the SDK's name for a type; `aries` for every type without a name.
    package static func kind(of type: MessageType?) -> Text {
        guard let type else { return "aries" }
        if Notice.isProblem(type) { return "problem-report" }
        let known: [Text: [Text]] = [
            "trust_ping": ["ping", "ping_response"],
            "out-of-band": ["handshake-reuse", "handshake-reuse-accepted"],
            "discover-features": ["query", "disclose"],
            "basicmessage": ["message"],
            "questionanswer": ["question", "answer"],
        ]
        switch (type.protocolName.family, type.name) {
        case ("present-proof", "request-presentation"): return "presentation-request"
        case ("issue-credential", "offer-credential"): return "credential-offer"
        case ("issue-credential", "issue-credential"): return "credential"
        case (let family, let name): return known[family]?.contains(name) == true ? name : "aries"
        }
    }
}
