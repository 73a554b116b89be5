import Aries
import DIDComm
import Encoding
import Mailboxes

extension FuzzTarget {
    /// Fuzzes an agency's answer. Each parser reads the input. If the input is an answer, a mailbox also gets it
    /// as a reply.
    static let agency = FuzzTarget(
        name: "agency", longest: 4096,
        seeds: { AgencySamples.texts.map { Array($0.utf8) } },
        check: { bytes in
            AgencySamples.read(bytes)
            // The rest computes a mailbox's keys and envelopes, which takes longer than all parsers together.
            guard (try? AgencyAnswer(plaintext: bytes)) != nil else { return }
            for dialect in AgencyDialect.allCases { AgencySamples.answer(bytes, dialect) }
        })
}

/// A mailbox with open and pending connections, and the agency's keys.
private enum AgencySamples {
    static let type = AgencyType.prefix.string
    static let texts = [
        #"{"@type":"\#(type)pairwise/1.0/MSGS","msgs":[{"uid":"u","statusCode":"MS-103","payload":{"protected":"p"}}]}"#,
        #"{"@type":"\#(type)pairwise/0.6/MSGS_BY_CONNS","msgsByConns":[{"pairwiseDID":"\#(did)","msgs":[{"uid":"u","statusCode":"MS-103","payload":{}}]}]}"#,
        #"{"@type":"\#(type)pairwise/0.6/MSG_STATUS_UPDATED_BY_CONNS","failed":[{"pairwiseDID":"d","statusCode":"GNR-115"}]}"#,
        #"{"@type":"\#(type)connecting/0.6/KEY_CREATED","withPairwiseDID":"d","withPairwiseDIDVerKey":"\#(verkey)"}"#,
        #"{"@type":"\#(type)pairwise/1.0/KEY_CREATED","withPairwiseDID":"d","withPairwiseDIDVerKey":"\#(verkey)"}"#,
        #"{"@type":"\#(type)agent-provisioning/0.7/AGENT_CREATED","selfDID":"d","agentVerKey":"\#(verkey)"}"#,
        #"{"@type":"\#(type)pairwise/0.6/CONN_STATUS_UPDATED","statusCode":"CS-103"}"#,
        #"{"@type":"\#(type)configs/0.6/COM_METHOD_UPDATED","id":"k"}"#, #"{"statusCode":"GNR-121","statusMsg":"m"}"#,
        #"{"unackedTimestamp":1763700000000}"#, #"{"msgUid":"u","pwDid":"d"}"#, #"{"DID":"d","verKey":"\#(verkey)"}"#,
        #"{"sponseeId":"k","sponsorId":"s","nonce":"n","timestamp":"t","sig":"AA==","sponsorVerKey":"\#(verkey)"}"#,
    ]

    /// Passes an input to each parser.
    static func read(_ bytes: [UInt8]) {
        require(AgencyProblem(status: 400, body: bytes).code.utf8.count <= 128, "codes are bounded")
        if let time = try? AgencyLongPoll.unacknowledged(in: bytes) { require(time >= 0, "times are not negative") }
        if let wakeUp = try? AgencyWakeUp(bytes) { check(uid: wakeUp.uid) }
        guard let json = try? JSON.parse(bytes) else { return }
        if let token = try? ProvisionToken(json) {
            require((try? ProvisionToken(token.json)) == token, "what is sent of a token is that token")
        }
        if let message = AgencyMessage(json) { check(message) }
        guard let answer = try? AgencyAnswer(plaintext: bytes) else { return }
        require(AgencyType(answer.type.text) == answer.type, "a written type reads as the same")
        if let party = answer.party { require((1...64).contains(party.did.utf8.count), "DIDs are bounded") }
        let messages = (try? answer.messages()) ?? []
        require(messages.count <= AgencyAnswer.messagesLimit, "at most 256 messages")
        messages.forEach(check)
        let lists = (try? answer.messagesByConnections()) ?? []
        require(lists.reduce(0) { $0 + $1.messages.count } <= AgencyAnswer.messagesLimit, "at most 256 messages")
        lists.forEach { $0.messages.forEach(check) }
        require(((try? answer.failures()) ?? []).count <= AgencyAnswer.messagesLimit, "at most 256 failures")
    }

    private static func check(_ message: AgencyMessage) {
        check(uid: message.uid)
        require(message.envelope.count <= AgencyMessage.envelopeBytes, "2 MiB")
    }

    private static func check(uid: Text) {
        require((1...AgencyAnswer.uidBytes).contains(uid.utf8.count), "names are bounded")
    }

    /// Answers some requests of a mailbox with the input. Each request is answered by another of the three
    /// parties that a mailbox may ask.
    static func answer(_ bytes: [UInt8], _ dialect: AgencyDialect) {
        guard var random = RandomStream(seed: secret(9)), let own = RandomStream(seed: secret(8)) else { return }
        var settings = AgencySettings(dialect, url: "https://a.example", agency: AgencyParty(keys[1].verkey))
        settings.checksAgency = false
        guard var mailbox = try? AgencyMailbox(restoring: snapshot(dialect), settings, random: own) else {
            return require(false, "the mailbox is restored")
        }
        var now = Instant.zero
        var events: [MailboxEvent] = [.start, .fetch]
        var answers = 0
        while let event = events.popLast(), answers < 9 {
            let actions = mailbox.handle(event, at: now)
            require(actions.count <= 16, "so many actions")
            for action in actions {
                switch action {
                case .post(let id, _, _), .get(let id, _):
                    answers += 1
                    let sender = keys[1 + answers % 3]
                    let packed = Envelope.pack(
                        bytes, to: [keys[answers % 2 == 0 ? 0 : 4].verkey], from: sender, random: &random)
                    events.append(
                        answers % 5 == 4
                            ? .rejected(id, status: 400, body: bytes) : .answered(id, body: packed.compactBytes))
                case .messages(let messages):
                    require((1...AgencyAnswer.messagesLimit).contains(messages.count), "some messages")
                    events.append(.applied(messages.map(\.uid)))
                default: break
                }
            }
            require(mailbox.deadline.map { $0 > now } ?? true, "what is due is done")
            if events.isEmpty, let deadline = mailbox.deadline {
                now = deadline
                events.append(.deadlineReached)
            }
        }
    }

    /// The keys of the mailbox's owner, of the agency, of the owner's agent, of a connection's agent, and of
    /// the connection.
    private static let keys = (1...5).compactMap { KeyPair(seed: secret($0)) }
    private static let verkey = keys[3].verkey.base58
    private static let did = keys[4].verkey.unqualifiedDID

    private static func secret(_ number: UInt8) -> Secret { Secret([UInt8](repeating: number, count: 32)) }

    /// A mailbox with one open connection, one that waits for its agent, and one that is closing.
    private static func snapshot(_ dialect: AgencyDialect) -> JSON {
        func seed(_ number: UInt8) -> JSON { .text(Base64.encode([UInt8](repeating: number, count: 32))) }
        func party(_ key: KeyPair) -> JSON {
            ["did": .string(key.verkey.unqualifiedDID), "verkey": .string(key.verkey.base58)]
        }
        return [
            "version": 1, "kind": .string(AgencyMailbox.kind), "dialect": .text(dialect.rawValue),
            "agency": party(keys[1]), "owner": seed(1),
            "stage": "ready", "agent": party(keys[2]),
            "connections": [
                ["connection": "a", "seed": seed(5), "agent": party(keys[3])],
                ["connection": "b", "seed": seed(6)],
                ["connection": "c", "seed": seed(7), "agent": party(keys[3]), "state": "closing"],
            ],
        ]
    }
}
