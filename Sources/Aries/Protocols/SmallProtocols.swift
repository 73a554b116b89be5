package import Encoding

/// trust_ping/1.0 (RFC 0048): an answered ping proves that messages arrive in both directions.
package enum TrustPing {
    /// The protocol's name and version.
    package static let name = ProtocolName("trust_ping", 1, 0)

    /// Returns a `ping` message. `responseRequested`: whether the peer shall answer it.
    package static func ping(_ prefix: TypePrefix, id: Text, responseRequested: Bool) -> JSON {
        Message.make(
            MessageType(prefix, name, "ping"), id: id, [.init("response_requested", .bool(responseRequested))])
    }

    /// Returns the answer to a ping, in the ping's thread.
    package static func response(_ prefix: TypePrefix, id: Text, thread: Text) -> JSON {
        Message.make(MessageType(prefix, name, "ping_response"), id: id, thread: thread)
    }

    /// Returns whether `ping` expects an answer: an absent `response_requested` means yes (RFC 0048).
    package static func wantsResponse(_ ping: Message) -> Bool { ping.body["response_requested"]?.bool ?? true }
}

/// notification/1.0: acknowledgements (RFC 0015), and problem reports in the form that ACA-Py reads.
package enum Notice {
    /// The protocol's name and version.
    package static let name = ProtocolName("notification", 1, 0)

    /// Returns an `ack` message with the status OK.
    package static func ack(_ prefix: TypePrefix, id: Text, thread: Text) -> JSON {
        Message.make(MessageType(prefix, name, "ack"), id: id, thread: thread, [.init("status", "OK")])
    }

    /// Returns a `problem-report` message. `code` is for programs, `explanation` for people. `name`: the protocol whose
    /// problem report it is, if that protocol has its own.
    package static func problem(
        _ prefix: TypePrefix, id: Text, thread: Text, code: Text, explanation: Text, of name: ProtocolName = Self.name
    ) -> JSON {
        Message.make(
            MessageType(prefix, name, "problem-report"), id: id, thread: thread,
            [.init("description", ["code": .string(code), "en": .string(explanation)])])
    }

    /// Returns whether `type` is a problem report of any protocol. The gate never replies to a problem report.
    package static func isProblem(_ type: MessageType) -> Bool {
        type.name == "problem-report" || type.name == "problem_report"
    }

    /// Returns the code of a problem report, from any of the forms that agents use, cut to 128 bytes; `unknown` if
    /// there is none.
    package static func problemCode(_ message: Message) -> Text {
        let code = message.body["description"]?["code"]?.string ?? message.body["problem-code"]?.string
        return (code ?? "unknown").prefix(bytes: 128)
    }
}

/// basicmessage/1.0 (RFC 0095). The gate uses it for reports to controllers that do not know verification-report.
package enum BasicMessage {
    /// The protocol's name and version.
    package static let name = ProtocolName("basicmessage", 1, 0)

    /// Returns a basicmessage. `sentTime`: its `sent_time` in the form of RFC 3339.
    package static func message(_ prefix: TypePrefix, id: Text, content: Text, sentTime: Text) -> JSON {
        Message.make(MessageType(prefix, name, "message"), id: id, members(content: content, sentTime: sentTime))
    }

    /// Returns the members of a basicmessage without type and id.
    static func members(content: Text, sentTime: Text) -> [JSONObject.Member] {
        [
            .init("~l10n", ["locale": "en"]), .init("sent_time", .string(sentTime)),
            .init("content", .string(content)),
        ]
    }

    /// Returns the report ids that a controller acknowledges by a basicmessage with the content
    /// `{"type":"verification-report/1.0/ack","ids":[…]}`; nil for any other content.
    static func acknowledgedReports(_ message: Message) -> [Text]? {
        guard let content = message.body["content"]?.string, content.utf8.count <= 64 * 1024,
            let json = try? JSON.parse(content.string), json["type"] == "verification-report/1.0/ack"
        else { return nil }
        return (json["ids"]?.array ?? []).compactMap(\.string)
    }
}

extension OutboundMessage {
    /// Returns a basicmessage to deliver. `time`: its `sent_time` in the form of RFC 3339.
    package static func basicMessage(id: Text, content: Text, time: Text) -> OutboundMessage {
        OutboundMessage(id: id, BasicMessage.name, "message", BasicMessage.members(content: content, sentTime: time))
    }

    /// Whether the peer is expected to answer the message: with a receipt, with the head of its ledger, or with the
    /// list of its protocols.
    var asksForAnswer: Bool {
        type.family == VerificationReport.name.family || type.family == "discover-features"
    }
}

/// discover-features 1.0 (RFC 0031) and 2.0 (RFC 0557): queries for the protocols that an agent supports.
package enum DiscoverFeatures {
    /// The protocols that the gate discloses, each with the roles that the gate supports in it.
    package static let supported: [(name: ProtocolName, roles: [Text])] = [
        (TrustPing.name, ["sender", "receiver"]),
        (Notice.name, ["notifier", "notified"]),
        (BasicMessage.name, ["sender", "receiver"]),
        (VerificationReport.name, ["sender"]),
        (ProtocolName("discover-features", 1, 0), ["responder"]),
        (ProtocolName("discover-features", 2, 0), ["responder"]),
        (Question.name, ["responder"]),
        (ProtocolName("did-rotate", 1, 0), ["observing_party"]),
        (ProtocolName("didexchange", 1, 0), ["requester"]),
        (ProtocolName("didexchange", 1, 1), ["requester"]),
        (ProtocolName("connections", 1, 0), ["invitee"]),
        (ProtocolName("out-of-band", 1, 1), ["receiver"]),
    ]

    /// Returns a `query` for the protocols with the family name `family`. It has version 1.0, which every agent reads.
    package static func query(_ family: Text, id: Text) -> OutboundMessage {
        OutboundMessage(
            id: id, ProtocolName("discover-features", 1, 0), "query",
            [.init("query", .text(TypePrefix.didcomm.rawValue + family.string + "/*"))])
    }

    /// Returns the answer to a `query` (1.0) or `queries` (2.0); nil if `message` is neither.
    package static func answer(to message: Message, id: Text) -> JSON? {
        let prefix = message.type.prefix
        if message.type.isMessage("discover-features", 1, "query") {
            let found = matches(message.body["query"]?.string ?? "*", prefix).map { entry in
                JSON.object(["pid": .string(entry.pid), "roles": .array(entry.roles.map(JSON.string))])
            }
            return Message.make(
                MessageType(prefix, ProtocolName("discover-features", 1, 0), "disclose"), id: id,
                thread: message.thread, [.init("protocols", .array(found))])
        }
        if message.type.isMessage("discover-features", 2, "queries") {
            var found: [JSON] = []
            for query in (message.body["queries"]?.array ?? []).prefix(8) where query["feature-type"] == "protocol" {
                for entry in matches(query["match"]?.string ?? "*", prefix) {
                    let feature: JSON = [
                        "feature-type": "protocol", "id": .string(entry.pid),
                        "roles": .array(entry.roles.map(JSON.string)),
                    ]
                    if !found.contains(feature) { found.append(feature) }
                }
            }
            return Message.make(
                MessageType(prefix, ProtocolName("discover-features", 2, 0), "disclosures"), id: id,
                thread: message.thread, [.init("disclosures", .array(found))])
        }
        return nil
    }

    /// Returns the protocols that a `disclose` (1.0) or `disclosures` (2.0) message lists, at most 256, with either
    /// type prefix; nil if `message` is neither.
    package static func disclosed(_ message: Message) -> [ProtocolName]? {
        let list: [JSON]
        switch (message.type.protocolName.family, message.type.name) {
        case ("discover-features", "disclose"): list = message.body["protocols"]?.array ?? []
        case ("discover-features", "disclosures"): list = message.body["disclosures"]?.array ?? []
        default: return nil
        }
        return list.prefix(256).compactMap { ($0["pid"] ?? $0["id"])?.string.flatMap { ProtocolName($0) } }
    }

    /// Returns the supported protocols that `query` matches. A query is the whole name of a protocol, or the beginning
    /// of a name followed by `*`.
    private static func matches(_ query: Text, _ prefix: TypePrefix) -> [(pid: Text, roles: [Text])] {
        supported.map { (pid: Text(prefix.rawValue + $0.name.path.string), roles: $0.roles) }.filter { entry in
            query.hasSuffix("*")
                ? entry.pid.hasPrefix(Text(String(decoding: query.utf8.dropLast(), as: UTF8.self))) : entry.pid == query
        }
    }
}
