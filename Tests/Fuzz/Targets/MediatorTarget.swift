import Aries
import DIDComm
import Encoding
import Mailboxes

extension FuzzTarget {
    /// A mailbox whose mediator answers with the input: each line is the plaintext of the next answer,
    /// encrypted by the mediator with its own key.
    static let mediator = FuzzTarget(
        name: "mediator", longest: 8192,
        seeds: { MediatorScript.seeds },
        check: { bytes in
            guard var script = MediatorScript() else { return }
            for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(32) { script.step(Array(line)) }
        })
}

/// Carries out the actions of a mailbox; the answers of its mediator are given line by line.
private struct MediatorScript: ~Copyable {
    private static let ours = KeyPair(seed: Secret([UInt8](repeating: 1, count: 32)))
    private static let theirs = KeyPair(seed: Secret([UInt8](repeating: 2, count: 32)))
    private static let key = KeyPair(seed: Secret([UInt8](repeating: 3, count: 32)))
    private var mailbox: Mediator
    private var random: RandomStream
    private var now = Instant.zero
    private var posts: [AgentConnection.ExchangeID] = []
    private var waiting = 0

    init?() {
        guard let random = RandomStream(seed: Secret([UInt8](repeating: 4, count: 32))),
            let own = RandomStream(seed: Secret([UInt8](repeating: 5, count: 32))), let key = Self.key,
            let snapshot = Self.snapshot,
            let mailbox = try? Mediator(restoring: snapshot, configuration: Self.configuration, random: own)
        else { return nil }
        self.mailbox = mailbox
        self.random = random
        feed(.start)
        feed(.open(connection: "c", key: key))
    }

    private static let configuration = Mediator.Configuration(
        connection: AgentConnection.Configuration(label: "fuzz"), allowsPlainHTTP: true)

    /// A connection that is established, without a mailbox yet.
    private static var snapshot: JSON? {
        guard let ours, let theirs else { return nil }
        let endpoint: JSON = "http://mediator.test/"
        return [
            "version": 1, "kind": "mediator", "keys": [],
            "connection": [
                "version": 1, "id": "m", "phase": "connected", "handshake": "didexchange/1.1", "thread": "t",
                "seed": .text(ours.seed.withBytes { Base64.encode($0) }),
                "invitation": [
                    "@type": "https://didcomm.org/out-of-band/1.1/invitation", "@id": "i",
                    "handshake_protocols": ["https://didcomm.org/didexchange/1.1"],
                    "services": [
                        [
                            "id": "#s", "type": "did-communication", "serviceEndpoint": endpoint,
                            "recipientKeys": [.string(theirs.verkey.didKey)],
                        ]
                    ],
                ],
                "peer": [
                    "did": "d", "recipientKeys": [.string(theirs.verkey.base58)], "routingKeys": [],
                    "endpoint": endpoint,
                ],
            ],
        ]
    }

    /// Gives the line as the mediator's next answer. A line that is empty or begins with a space lets time
    /// pass instead.
    mutating func step(_ line: [UInt8]) {
        if let first = line.first, first != UInt8(ascii: " "), let ours = Self.ours, let theirs = Self.theirs {
            let envelope = Envelope.pack(line, to: [ours.verkey], from: theirs, random: &random)
            answer(envelope.compactBytes)
        } else {
            answer([])
            now = now.advanced(by: .seconds(line.count))
            feed(.deadlineReached)
        }
    }

    private mutating func answer(_ body: [UInt8]) {
        guard !posts.isEmpty else { return feed(.fetch) }
        feed(.answered(posts.removeFirst(), body: body))
    }

    private mutating func feed(_ event: MailboxEvent) {
        var events = [event]
        while !events.isEmpty {
            let actions = mailbox.handle(events.removeFirst(), at: now)
            require(actions.count <= 512, "so many actions")
            for action in actions {
                switch action {
                case .post(let id, _, _):
                    posts.append(id)
                    require(posts.count <= 1, "one post at a time")
                case .address(let address, _):
                    require(
                        WebURL(address.endpoint) != nil && address.routingKeys.count <= 8, "an address that can be used"
                    )
                case .messages(let messages):
                    require(messages.count <= 16, "no more than were asked for")
                    events.append(.applied(messages.map(\.uid)))
                case .failed(.problem(let code), _): require(code.utf8.count <= 128, "codes are bounded")
                case .persist(let snapshot):
                    let own = RandomStream(seed: Secret([UInt8](repeating: 6, count: 32)))
                    guard let own else { continue }
                    let again = try? Mediator(restoring: snapshot, configuration: Self.configuration, random: own)
                    let isRead = again != nil
                    require(isRead, "what is kept can be read")
                default: break
                }
            }
        }
        require(mailbox.deadline.map { $0 > now } ?? true, "what is due is done")
    }

    static let seeds: [[UInt8]] = {
        let name = "https://didcomm.org/coordinate-mediation/1.0"
        let grant =
            #"{"@type":"\#(name)/mediate-grant","@id":"g","endpoint":"http://m.test/","routing_keys":[]}"#
        let features =
            #"{"@type":"https://didcomm.org/discover-features/1.0/disclose","@id":"f","protocols":"#
            + #"[{"pid":"https://didcomm.org/messagepickup/2.0"}]}"#
        let recipient = key?.verkey.didKey.string ?? ""
        let updated =
            #"{"@type":"\#(name)/keylist-update-response","@id":"u","updated":[{"recipient_key":"\#(recipient)","#
            + #""action":"add","result":"success"}]}"#
        let delivery =
            #"{"@type":"https://didcomm.org/messagepickup/2.0/delivery","@id":"d","~attach":"#
            + #"[{"@id":"a","data":{"base64":"e30="}}]}"#
        let status = #"{"@type":"https://didcomm.org/messagepickup/2.0/status","@id":"s","message_count":0}"#
        let deny = #"{"@type":"\#(name)/mediate-deny","@id":"n"}"#
        return [
            [grant, features, updated, delivery, status, " ", status], [deny, " "],
            [grant, "", updated, " ", delivery],
        ].map { Array($0.joined(separator: "\n").utf8) }
    }()
}
