import Aries
package import DIDComm
package import Encoding
import Mailboxes

/// A cloud agent in memory: the inviter to which a gate connects, as a value without clock and network.
///
/// The agent offers a multi-use out-of-band invitation, answers did-exchange 1.1 requests with `did_rotate~attach`,
/// answers trust pings, receives each basicmessage `@id` once, and keeps ledgers if ``keeper`` is set. Like a real
/// agent with HTTP return-route, it returns at most one queued message per posted message.
package struct VirtualAgent: ~Copyable, Sendable {
    /// A basicmessage that was received.
    package struct Received: Hashable, Sendable {
        /// The `@id` of the message.
        package let id: Text
        /// The content of the message: the JSON text of a report.
        package let content: Text
        /// The key of the gate that sent the message.
        package let sender: Verkey
        /// The instant at which the message was first received.
        package let time: Instant
    }

    /// The result of a post to the agent.
    package enum Reply: Hashable, Sendable {
        /// The agent is down: the connection fails.
        case unreachable
        /// The message took effect, but its answer was lost.
        case lost
        /// HTTP 400: the body is not a message for this agent.
        case rejected
        /// The agent answered with HTTP 200 and an envelope, or an empty body.
        case accepted([UInt8])
    }

    /// Whether the agent accepts connections.
    package var isUp = true
    /// The number of the next answers that are lost after their messages have taken effect.
    package var answersToLose = 0
    /// Whether the agent acknowledges each report by a basicmessage.
    package var acknowledgesReports = false
    /// Whether the agent accepts the reuse of an existing connection (out-of-band reuse); nil for no answer.
    package var acceptsReuse: Bool?
    /// The agent's copies of ledgers; nil for an agent without verification-report/1.0.
    package var keeper: VirtualKeeper?
    /// The mailboxes at the agent; nil for an agent without coordinate-mediation.
    package var mediation: VirtualMediation?
    /// Whether the agent sends all messages for a gate with a mailbox to the mailbox, even messages that it could
    /// return in the answer to a post.
    package var answersByMailbox = false
    /// Whether the agent announces another DID as soon as the gate has acknowledged the previous DID (did-rotate/1.0).
    package var rotatesForEver = false
    /// The posts of an agent without mailboxes to the addresses of gates. The driver of the simulation removes them.
    package var posts: [(url: Text, body: [UInt8])] = []
    /// Whether the agent answers only the first request for its invitation.
    package var isSingleUse = false
    /// The received basicmessages, each id once, in order.
    package private(set) var received: [Received] = []
    /// The number of basicmessages that arrived again with a known id.
    package private(set) var repetitions = 0
    /// The last messages that are neither basicmessages nor pings, at most 64.
    package private(set) var others: [JSON] = []
    /// The number of trust pings received.
    package private(set) var pings = 0
    /// The URL to which messages are posted.
    package let endpoint: Text
    private let label: Text
    private let invitationID: Text
    private let invitationKeys: KeyPair
    private var random: RandomStream
    private var kiosks: [Kiosk] = []

    /// The agent's connection to one gate.
    private struct Kiosk {
        let thread: Text
        let key: Verkey
        var ours: KeyPair
        let did: Text
        /// The new keys of a rotation that the gate has not acknowledged; nil if there is none.
        var next: KeyPair?
        /// The address at which the gate receives messages.
        let service: Service
        /// The plaintexts that the gate has not fetched.
        var waiting: [JSON] = []
        var isComplete = false
    }

    /// Creates an agent that announces `endpoint`; nil if the random stream yields no valid key.
    package init?(label: Text = "Virtual agent", endpoint: Text, random: consuming RandomStream) {
        guard let keys = KeyPair(seed: random.drawSecret(32)) else { return nil }
        self.init(label: label, endpoint: endpoint, keys: keys, random: random)
    }

    /// This initializer is separate from the failable one, because Swift 6.2 destroys the properties of a
    /// noncopyable value before they are initialized.
    private init(label: Text, endpoint: Text, keys: KeyPair, random: consuming RandomStream) {
        invitationKeys = keys
        invitationID = Text(RandomUUID.text(random.draw(16)) ?? "")
        (self.label, self.endpoint) = (label, endpoint)
        self.random = random
    }

    /// The out-of-band invitation.
    package var invitation: JSON {
        [
            "@type": "https://didcomm.org/out-of-band/1.1/invitation",
            "@id": .string(invitationID),
            "label": .string(label),
            "handshake_protocols": ["https://didcomm.org/didexchange/1.1"],
            "services": [
                [
                    "id": "#inline", "type": "did-communication",
                    "recipientKeys": [.string(invitationKeys.verkey.didKey)], "serviceEndpoint": .string(endpoint),
                ]
            ],
        ]
    }

    /// The invitation as a URL.
    package var invitationURL: Text { Text("\(endpoint)?oob=\(Base64.encode(invitation.compactBytes))") }

    /// The number of connections with a complete handshake.
    package var completeConnections: Int { kiosks.count(where: \.isComplete) }

    /// Queues a basicmessage for every gate. Each gate fetches it with its next message.
    package mutating func send(content: Text) {
        send(BasicMessage.message(.didcomm, id: newID(), content: content, sentTime: "2026-01-01T00:00:00Z"))
    }

    /// Sends a message to every gate, through the gate's mailbox or the agent's queue. Like real agents, an agent with
    /// mailboxes has no queue for messages that it starts.
    package mutating func send(_ message: JSON) {
        for index in kiosks.indices {
            if kiosks[index].service.isHTTP {
                leave(message, for: kiosks[index])
            } else if mediation == nil {
                kiosks[index].waiting.append(message)
            }
        }
    }

    /// Sends a message that the agent starts to the address in the gate's DID document. The address is a mailbox of
    /// this agent, or ``posts``.
    private mutating func leave(_ message: JSON, for kiosk: Kiosk) {
        leave(
            envelope: Envelope.pack(message.compactBytes, to: [kiosk.key], from: kiosk.ours, random: &random),
            for: kiosk)
    }

    private mutating func leave(envelope: JSON, for kiosk: Kiosk) {
        guard
            let wrapped = try? Envelope.wrap(
                envelope, to: kiosk.key, via: kiosk.service.routingKeys, random: &random)
        else { return }
        if mediation == nil {
            posts.append((url: kiosk.service.endpoint, body: wrapped.compactBytes))
        } else {
            _ = mediation?.forward(wrapped)
        }
    }

    /// Announces another DID to every gate (did-rotate/1.0). `did`: a DID that the agent does not own; nil: a new DID
    /// of the agent.
    package mutating func rotate(to did: Text? = nil) {
        for index in kiosks.indices {
            guard let next = KeyPair(seed: random.drawSecret(32)) else { continue }
            if did == nil { kiosks[index].next = next }
            let announced =
                did
                ?? DIDExchange.did(
                    for: next.verkey, at: MailboxAddress(endpoint: Text("\(endpoint)next"), routingKeys: []))
            kiosks[index].waiting.append(
                Message.make(
                    MessageType(.didcomm, DIDRotation.name, "rotate"), id: newID(),
                    [.init("to_did", .string(announced))]))
        }
    }

    /// Handles one posted body.
    package mutating func handle(_ body: [UInt8], at now: Instant) -> Reply {
        guard isUp else { return .unreachable }
        if let envelope = try? JSON.parse(body), mediation?.forward(envelope) == true { return .accepted([]) }
        guard let content = try? Envelope.unpack(body, with: [invitationKeys] + kiosks.map(\.ours)),
            let sender = content.sender, let message = try? Message(plaintext: content.plaintext),
            let answer = take(message, from: sender, to: content.recipient, at: now)
        else { return .rejected }
        guard answersToLose == 0 else {
            answersToLose -= 1
            return .lost
        }
        return .accepted(answer)
    }

    private mutating func take(
        _ message: Message, from sender: Verkey, to recipient: Verkey, at now: Instant
    ) -> [UInt8]? {
        if recipient == invitationKeys.verkey {
            guard !message.type.isMessage(DIDExchange.family, 1, "request") else {
                return respond(to: message, from: sender)
            }
            others = others.suffix(63) + [message.body]  // a reply without a connection
            return []
        }
        guard let index = kiosks.firstIndex(where: { $0.ours.verkey == recipient && $0.key == sender }) else {
            return nil
        }
        if message.type.isMessage("did-rotate", 1, "ack"), let next = kiosks[index].next {
            (kiosks[index].ours, kiosks[index].next) = (next, nil)
            others.append(message.body)
            return answer(to: index)
        }
        kiosks[index].isComplete = true  // any message of an authenticated peer completes the handshake, as in ACA-Py
        if let answer = answer(to: message, from: sender, at: now) {
            if answersByMailbox, kiosks[index].service.isHTTP {
                leave(answer, for: kiosks[index])
            } else {
                kiosks[index].waiting.append(answer)
            }
        }
        return answer(to: index)
    }

    /// Returns the body of the answer to a post: the next queued message.
    private mutating func answer(to index: Int) -> [UInt8] {
        if rotatesForEver, kiosks[index].next == nil { rotate() }
        let key = kiosks[index].key
        guard !kiosks[index].waiting.isEmpty else { return mediation?.next(for: key) ?? [] }
        return pack(kiosks[index].waiting.removeFirst(), to: key, from: kiosks[index].ours)
    }

    private mutating func respond(to request: Message, from sender: Verkey) -> [UInt8]? {
        guard let did = request.body["did"]?.string, let document = try? PeerDID.resolve(did),
            let service = document.services.first, let key = service.recipientKeys.first, key == sender
        else { return nil }
        if isSingleUse, let first = kiosks.first, first.key != key { return [] }
        if !kiosks.contains(where: { $0.thread == request.thread && $0.key == key }) {
            guard let ours = KeyPair(seed: random.drawSecret(32)) else { return nil }
            kiosks.append(
                Kiosk(
                    thread: request.thread, key: key, ours: ours,
                    did: DIDExchange.did(for: ours.verkey, at: MailboxAddress(endpoint: endpoint, routingKeys: [])),
                    service: service))
        }
        guard let kiosk = kiosks.first(where: { $0.thread == request.thread && $0.key == key }) else { return nil }
        let attachment = SignedAttachment.sign(
            Array(kiosk.did.utf8), mediaType: "text/string", id: newID(), by: invitationKeys)
        let response = Message.make(
            MessageType(request.type.prefix, request.type.protocolName, "response"), id: newID(),
            thread: request.thread, parentThread: invitationID,
            [.init("did", .string(kiosk.did)), .init("did_rotate~attach", attachment)])
        let body = Envelope.pack(response.compactBytes, to: [key], from: invitationKeys, random: &random)
        guard answersByMailbox, service.isHTTP else { return body.compactBytes }
        leave(envelope: body, for: kiosk)
        return []
    }

    private mutating func answer(to message: Message, from sender: Verkey, at now: Instant) -> JSON? {
        let type = message.type
        if type.isMessage("trust_ping", 1, "ping") {
            pings += 1
            guard TrustPing.wantsResponse(message) else { return nil }
            return TrustPing.response(type.prefix, id: newID(), thread: message.thread)
        }
        if type.isMessage("basicmessage", 1, "message") {
            if received.contains(where: { $0.id == message.id && $0.sender == sender }) {
                repetitions += 1
            } else {
                let content = message.body["content"]?.string ?? ""
                received.append(Received(id: message.id, content: content, sender: sender, time: now))
            }
            guard acknowledgesReports else { return nil }
            let ids: JSON = ["type": "verification-report/1.0/ack", "ids": [.string(message.id)]]
            return BasicMessage.message(
                type.prefix, id: newID(), content: Text(ids.compactText), sentTime: "2026-01-01T00:00:00Z")
        }
        if type.isMessage("discover-features", 1, "query") { return disclosure(to: message) }
        if mediation != nil {
            let (id, endpoint) = (newID(), endpoint)
            switch mediation?.answer(to: message, of: sender, at: endpoint, id: id) {
            case .answer(let answer): return answer
            case .silence: return nil
            case .unknown, nil: break
            }
        }
        if keeper != nil, message.type.protocolName.family == VerificationReport.name.family {
            let id = newID()
            return keeper?.answer(to: message, id: id)
        }
        others = others.suffix(63) + [message.body]
        if type.isMessage("out-of-band", 1, "handshake-reuse") {
            guard acceptsReuse == true else { return nil }
            return Message.make(
                MessageType(type.prefix, type.protocolName, "handshake-reuse-accepted"), id: newID(),
                thread: message.thread, parentThread: message.parentThread)
        }
        if ["disclose", "disclosures"].contains(type.name) { return nil }
        if type.name == "complete" || type.name == "ack" || type.name == "answer" || Notice.isProblem(type)
            || type.name == "ping_response"
        {
            return nil
        }
        return Notice.problem(
            type.prefix, id: newID(), thread: message.thread, code: "message-parse-failure",
            explanation: "unknown message type")
    }

    /// Returns the protocols that match a query. The list has only protocols that some agents lack.
    private mutating func disclosure(to query: Message) -> JSON {
        let asked = query.body["query"]?.string ?? ""
        let known =
            (keeper == nil ? [] : [VerificationReport.name]) + (mediation?.hasPickup == true ? [Pickup.name] : [])
        let found = known.compactMap { name -> JSON? in
            let pid = Text(TypePrefix.didcomm.rawValue + name.path.string)
            let isAsked = asked.hasSuffix("*") ? pid.hasPrefix(Text(String(asked.string.dropLast()))) : asked == pid
            return isAsked ? ["pid": .string(pid)] : nil
        }
        return Message.make(
            MessageType(query.type.prefix, query.type.protocolName, "disclose"), id: newID(), thread: query.thread,
            [.init("protocols", .array(found))])
    }

    private mutating func pack(_ message: JSON, to key: Verkey, from sender: KeyPair) -> [UInt8] {
        Envelope.pack(message.compactBytes, to: [key], from: sender, random: &random).compactBytes
    }

    private mutating func newID() -> Text { Text(RandomUUID.text(random.draw(16)) ?? "") }
}
