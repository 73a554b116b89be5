package import Aries
package import Encoding

/// Messages in the JSON structure in which the mobile SDK returns them, as its documents describe it: three levels of
/// JSON, of which the inner two are texts.
///
/// The SDK has its own names for kinds of messages. Most messages have the name `aries`, so a program that depends on
/// the type of a message must read the `@type` of the inner message.
package enum SDKMessages {
    /// One message of a connection.
    package struct Entry: Hashable, Sendable {
        /// The id that the mailbox has assigned to the message.
        package let uid: Text
        /// The status of the message, such as MS-103.
        package let statusCode: Text
        /// The decrypted Aries message; nil if it cannot be read. The SDK shows such a message as `null`.
        package let message: JSON?

        /// The SDK's name for the kind of the message, used if `message` was not stored; nil otherwise.
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

    /// Returns the messages of one connection in the SDK's structure. `pairwiseDID`: the gate's DID in the connection.
    package static func connection(_ pairwiseDID: Text, _ entries: [Entry]) -> JSON {
        ["pairwiseDID": .string(pairwiseDID), "msgs": .array(entries.map(message))]
    }

    /// Returns one message in the SDK's structure. It has three further members if they are known: kind, time and
    /// result.
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

    /// Returns the SDK's name for messages of the given type; `aries` if the SDK has no name for it.
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
