import Aries
package import DIDComm
package import Encoding
package import Mailboxes

/// A cloud agency in memory that behaves like a Node agency or like Verity. It is a value without clock and network:
/// its methods take requests and return answers.
///
/// In everything that a client can observe, the agency behaves like the public servers: layers of encryption and
/// permitted senders, versions, error bodies, states of messages, Verity's limit of 920,000 bytes per answer, and
/// tokens for single use. As with the real server, the Node agency's answers are in no defined order, report no
/// failures and are encrypted for the agent's owner.
package struct VirtualAgency: ~Copyable, Sendable {
    /// The agency's answer to an HTTP request.
    package struct Answer: Hashable, Sendable {
        /// The HTTP status; nil if the answer was lost.
        package let status: Int?
        /// The body of the answer.
        package let body: [UInt8]
        /// The time after which the client receives the answer.
        package let delay: Duration
    }

    /// The faults that the agency simulates.
    package var faults = VirtualAgencyFaults()
    /// The total size of the messages, in bytes, after which Verity ends an answer.
    package var batchBytes = 920_000
    /// The server software that the agency simulates: a Node agency or Verity.
    package let dialect: AgencyDialect
    /// The URL of the agency, without a path.
    package let url: Text
    /// The agency's own DID and key.
    package let party: AgencyParty
    /// The key of the sponsor whose tokens are accepted; nil if the agency requires no token.
    package let sponsor: Verkey?
    /// The names of all messages that the agency has received and decrypted, in order.
    package private(set) var log: [Text] = []
    /// The webhook requests that the agency would have posted, with their URLs.
    package private(set) var wakeUps: [(url: Text, body: [UInt8])] = []
    let keys: KeyPair
    private let stranger: KeyPair
    var random: RandomStream
    var entities: [VirtualAgencyEntity] = []
    private var usedTokens: Set<Text> = []
    /// The number of messages up to which a client has acknowledged the notifications.
    package private(set) var acknowledged = 0
    private var usedOwners: Set<Verkey> = []

    /// Creates an agency at the URL `url`, with a key derived from `seed` (32 bytes). If `did` is nil, the agency's DID
    /// is derived from the key.
    package init?(
        _ dialect: AgencyDialect, url: Text, seed: Secret, did: Text? = nil, sponsor: Verkey? = nil,
        random: consuming RandomStream
    ) {
        // Create the keys here and call another initializer. In a single initializer, Swift 6.2 reports an error
        // because an early return would destroy uninitialized properties.
        guard let keys = KeyPair(seed: seed), let stranger = KeyPair(seed: random.drawSecret(32)) else { return nil }
        self.init(dialect, url: url, keys: keys, stranger: stranger, did: did, sponsor: sponsor, random: random)
    }

    private init(
        _ dialect: AgencyDialect, url: Text, keys: KeyPair, stranger: KeyPair, did: Text?, sponsor: Verkey?,
        random: consuming RandomStream
    ) {
        (self.dialect, self.url, self.keys, self.stranger, self.sponsor) = (dialect, url, keys, stranger, sponsor)
        party = AgencyParty(did: did ?? keys.verkey.unqualifiedDID, key: keys.verkey)
        self.random = random
    }

    // MARK: Contents

    /// The number of agents of gates.
    package var agents: Int { entities.count { $0.kind == .agent } }

    /// The number of connections that are not deleted.
    package var connections: Int {
        entities.count { entity in
            if case .connection = entity.kind { !entity.isDeleted } else { false }
        }
    }

    /// All stored messages with their states, in the order of the agents.
    package var messages: [(status: Text, payload: JSON)] {
        entities.flatMap { $0.messages.map { (status: $0.status, payload: $0.payload) } }
    }

    /// The URLs of the webhooks that agents have set.
    package var webhooks: [Text] { entities.compactMap { $0.webhook?.url } }

    /// Stores a message that no key can decrypt, for the connection whose agent has the key `key`.
    package mutating func spoil(_ key: Verkey) {
        store(["protected": "?"], for: key)
    }

    /// Stores a message that no key can decrypt, for each connection.
    package mutating func spoilAll() {
        for entity in entities {
            if case .connection = entity.kind { spoil(entity.keys.verkey) }
        }
    }

    /// Deletes the connection whose agent has the key `key`.
    package mutating func delete(_ key: Verkey) {
        for index in entities.indices where entities[index].keys.verkey == key { entities[index].isDeleted = true }
    }

    /// Returns a token that the sponsor signs, for the creation of one agent.
    package static func token(by sponsor: KeyPair, nonce: Text) -> JSON {
        let (sponsee, id, time) = (Text("kiosk-7"), Text("gate-sponsor"), Text("2026-01-01T00:00:00+00:00"))
        let signed = Array("\(nonce)\(time)\(sponsee)\(id)".utf8)
        return [
            "sponseeId": .string(sponsee), "sponsorId": .string(id), "nonce": .string(nonce),
            "timestamp": .string(time), "sig": .text(Base64.encode(sponsor.sign(signed), .standard)),
            "sponsorVerKey": .string(sponsor.verkey.base58),
        ]
    }

    // MARK: Requests

    /// Answers `GET /agency`, with the agency's DID and key.
    package func information() -> Answer {
        let key = faults.hasOtherKey ? stranger.verkey : party.key
        let json: JSON = ["DID": .string(party.did), "verKey": .string(key.base58)]
        return Answer(status: 200, body: json.compactBytes, delay: faults.delay)
    }

    /// Answers `GET /agent/DID/notifications` of the Node agency without waiting. The answer says whether messages have
    /// arrived that are not acknowledged.
    package func notifications() -> Answer {
        guard dialect == .node else { return Answer(status: 404, body: [], delay: faults.delay) }
        let count = messages.count
        let json: JSON = ["unackedTimestamp": count > acknowledged ? .int(count) : nil]
        return Answer(status: 200, body: json.compactBytes, delay: faults.delay)
    }

    /// Answers `POST /agent/DID/notifications/ack`: stores up to which message the client acknowledges.
    package mutating func acknowledge(_ body: [UInt8]) -> Answer {
        guard let time = (try? JSON.parse(body))?["ackTimestamp"]?.int else {
            return Answer(status: 400, body: [], delay: faults.delay)
        }
        acknowledged = time
        return Answer(status: 200, body: [], delay: faults.delay)
    }

    /// Answers `POST /agency/msg`, the request that carries every message to the agency or to an agent.
    package mutating func handle(_ body: [UInt8]) -> Answer {
        if faults.errors > 0 {
            faults.errors -= 1
            return failure(VirtualAgencyError("GNR-105"), status: 500)
        }
        let answer: [UInt8]
        do {
            let content = try open(body, keys)
            answer = try forwarded(content.body)
        } catch {
            return failure(error, status: 400)
        }
        if faults.lostAnswers > 0 {
            faults.lostAnswers -= 1
            return Answer(status: nil, body: [], delay: faults.delay)
        }
        return Answer(status: 200, body: answer, delay: faults.delay)
    }

    private func failure(_ error: VirtualAgencyError, status: Int) -> Answer {
        let json: JSON =
            dialect == .node
            ? ["errorTraceId": "0"] : ["statusCode": .string(error.code), "statusMsg": "what a person reads"]
        return Answer(status: dialect == .node ? 500 : status, body: json.compactBytes, delay: faults.delay)
    }

    // MARK: Unpacking

    /// A decrypted message.
    struct Opened {
        let body: JSON
        let sender: Verkey?

        /// The name of the message in the agency's protocol; nil if it is not such a message.
        var type: AgencyType? { body["@type"]?.string.flatMap { AgencyType($0) } }
        /// Whether the message is an Aries forward, with either of the two prefixes for message types.
        var isForward: Bool {
            body["@type"]?.string.flatMap { MessageType($0) }?.isMessage("routing", 1, "forward") == true
        }
    }

    func open(_ body: [UInt8], _ keys: KeyPair) throws(VirtualAgencyError) -> Opened {
        guard let json = try? JSON.parse(body) else { throw VirtualAgencyError("GNR-105") }
        return try open(json, keys)
    }

    func open(_ envelope: JSON, _ keys: KeyPair) throws(VirtualAgencyError) -> Opened {
        guard let content = try? Envelope.unpack(envelope, with: [keys]),
            let body = try? JSON.parse(content.plaintext)
        else { throw VirtualAgencyError("GNR-105") }
        return Opened(body: body, sender: content.sender)
    }

    /// Handles a forward message to the agency or to an agent: decrypts the inner message and handles it.
    mutating func forwarded(_ wrapping: JSON) throws(VirtualAgencyError) -> [UInt8] {
        let opened = Opened(body: wrapping, sender: nil)
        let to: JSON?
        let message: JSON?
        if opened.isForward {
            (to, message) = (wrapping["to"], wrapping["msg"])
        } else if opened.type?.family == "routing", opened.type?.name == "FWD" {
            (to, message) = (wrapping["@fwd"], wrapping["@msg"])
        } else {
            throw VirtualAgencyError("GNR-120")
        }
        guard let name = to?.string, let message else { throw VirtualAgencyError("GNR-105") }
        if name == party.did || Verkey(name) == party.key { return try agency(try open(message, keys)) }
        guard let index = entities.firstIndex(where: { $0.did == name || Verkey(name) == $0.keys.verkey }) else {
            throw VirtualAgencyError("GNR-113")
        }
        let inner = try open(message, entities[index].keys)
        if case .connection = entities[index].kind { return try connection(index, inner) }
        return try agent(index, inner)
    }

    // MARK: The agency itself

    private mutating func agency(_ message: Opened) throws(VirtualAgencyError) -> [UInt8] {
        guard let sender = message.sender, !faults.refusesAll else { throw VirtualAgencyError("GNR-121") }
        guard let type = message.type else { throw VirtualAgencyError("GNR-120") }
        log.append(type.name)
        switch (type.family, type.version, type.name) {
        case ("onboarding", "1.0", "CONNECT") where dialect == .node,
            ("agent-provisioning", "0.5", "CONNECT") where dialect == .evernym:
            guard sponsor == nil else { throw VirtualAgencyError("ACS-103") }
            guard let did = message.body["fromDID"]?.string,
                message.body["fromDIDVerKey"]?.string.flatMap({ Verkey($0) }) == sender
            else { throw VirtualAgencyError("GNR-121") }
            if dialect == .evernym, !usedOwners.insert(sender).inserted { throw VirtualAgencyError("CS-101") }
            let made = try add(dialect == .node ? .agent : .provisional, owner: sender, forDID: did)
            return answer(type, "CONNECTED", Self.members(made), from: keys, to: sender)
        case ("agent-provisioning", "0.7", "CREATE_AGENT") where dialect == .evernym:
            let thread = message.body["~thread"] ?? [:]
            if let problem = use(message.body["provisionToken"]) {
                return answer(
                    type, "problem-report", [.init("~thread", thread), .init("err", .string(problem))], from: keys,
                    to: sender)
            }
            guard let did = message.body["requesterKeys"]?["fromDID"]?.string,
                let owner = message.body["requesterKeys"]?["fromVerKey"]?.string.flatMap({ Verkey($0) })
            else { throw VirtualAgencyError("GNR-105") }
            let made = try add(.agent, owner: owner, forDID: did)
            return answer(
                type, "AGENT_CREATED",
                [
                    .init("~thread", thread), .init("selfDID", .string(made.did)),
                    .init("agentVerKey", .string(made.keys.verkey.base58)),
                ], from: keys, to: sender)
        default: throw VirtualAgencyError("GNR-120")
        }
    }

    /// Returns the problem of a token; nil if the token is accepted, which it is only once.
    private mutating func use(_ json: JSON?) -> Text? {
        guard let json, let token = try? ProvisionToken(json) else { return "provision token is invalid" }
        if faults.expiresTokens { return "provisioning token has expired" }
        guard json["sponsorVerKey"]?.string.flatMap({ Verkey($0) }) == sponsor else { return "sponsor is unknown" }
        return usedTokens.insert(token.signature).inserted ? nil : "same provision token used more than once"
    }

    // MARK: Creating and answering

    mutating func add(
        _ kind: VirtualAgencyEntity.Kind, owner: Verkey, forDID: Text
    ) throws(VirtualAgencyError) -> VirtualAgencyEntity {
        guard let keys = KeyPair(seed: random.drawSecret(32)) else { throw VirtualAgencyError("GNR-105") }
        let entity = VirtualAgencyEntity(
            kind: kind, keys: keys, did: keys.verkey.unqualifiedDID, owner: owner, forDID: forDID)
        entities.append(entity)
        return entity
    }

    static func members(_ entity: VirtualAgencyEntity) -> [JSONObject.Member] {
        [
            .init("withPairwiseDID", .string(entity.did)),
            .init("withPairwiseDIDVerKey", .string(entity.keys.verkey.base58)),
        ]
    }

    mutating func answer(
        _ type: AgencyType, _ name: Text, _ members: [JSONObject.Member], from sender: KeyPair, to key: Verkey
    ) -> [UInt8] {
        var object: JSONObject = ["@type": .string(AgencyType(type.family, type.version, name).text)]
        for member in members { object[member.name] = member.value }
        var sender = sender
        if faults.foreignSenders > 0 {
            faults.foreignSenders -= 1
            sender = stranger
        }
        return Envelope.pack(JSON.object(object).compactBytes, to: [key], from: sender, random: &random).compactBytes
    }

    mutating func note(_ name: Text) { log.append(name) }

    /// Stores a message for the agent of a connection, and records the webhook request to the gate if a webhook is set.
    mutating func store(_ payload: JSON, for key: Verkey) {
        guard let index = entities.firstIndex(where: { $0.keys.verkey == key }) else { return }
        let uid = Text(RandomUUID.text(random.draw(16)) ?? "")
        entities[index].messages.append(VirtualAgencyMessage(uid: uid, status: "MS-103", payload: payload))
        guard case .connection(let agent) = entities[index].kind,
            let webhook = entities.first(where: { $0.did == agent })?.webhook
        else { return }
        let did = JSON.string(entities[index].forDID)
        let body: JSON =
            dialect == .node
            ? ["msgUid": .string(uid), "pwDid": did]
            : ["msgId": .string(uid), "msgType": "aries", "relationshipDid": did, "metaData": [:]]
        wakeUps.append((url: webhook.url, body: body.compactBytes))
    }
}

/// An error of the agency, with Verity's code. The Node agency does not send the code.
struct VirtualAgencyError: Error {
    let code: Text

    init(_ code: Text) { self.code = code }
}
