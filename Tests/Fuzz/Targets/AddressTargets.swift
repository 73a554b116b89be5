import DIDComm
import Encoding

@testable import Aries
@testable import AsyncHTTPClient
@testable import HTTPTransport

extension FuzzTarget {
    /// The text of a URL, up to the client's own parsing of the host and port to connect to.
    static let url = FuzzTarget(
        name: "url", longest: 512,
        seeds: {
            [
                "https://agent.example/", "http://127.0.0.1:8020/a?b=c", "https://[2001:db8::1]:8443", "http://%5B/",
                "http://%5b::1%5d/", "https://user@agent.example/", "HTTPS://AGENT.example:443//x", "https://a_b:1?x",
                "https://[::ffff:1.2.3.4]/", "https://xn--bcher-kva.example/%00", "http://1/",
                "https://agent.example#f",
                "didcomm:transport/queue", "https://agent.example:65536/", "https://-/", "http://0x7f.1/",
            ].map { Array($0.utf8) }
        },
        check: { bytes in if let text = Text(utf8: bytes) { _ = connects(to: text) } })

    /// A DID document or a DID, up to the request for the preferred service, which is not sent.
    static let endpoint = FuzzTarget(
        name: "endpoint", longest: 4096, seeds: { documents },
        check: { bytes in
            let document =
                if let json = try? JSON.parse(bytes) {
                    DIDDocument(json)
                } else {
                    Text(utf8: bytes).flatMap { try? PeerDID.resolve($0) }
                }
            guard let document, let service = document.preferredService else { return }
            require(connects(to: service.endpoint), "a service that is preferred can be posted to")
            guard let keys, var random = RandomStream(seed: Secret([UInt8](repeating: 2, count: 32))) else {
                return require(false, "keys of the test")
            }
            let body = try? service.pack(
                ["@type": "https://didcomm.org/x/1.0/y"], from: keys, .didcomm, random: &random)
            require(body.map { $0.count <= Envelope.Limits().bytes } ?? true, "what is posted is bounded")
        })

    private static let keys = KeyPair(seed: Secret([UInt8](repeating: 1, count: 32)))

    /// Returns whether the text is a URL. Requires that the client would connect to the host and port that
    /// ``WebURL`` parsed, and that the client's parser does not trap.
    private static func connects(to text: Text) -> Bool {
        guard let url = WebURL(text) else { return false }
        let again = WebURL(Text(url.request))
        require(
            again?.place == url.place && again?.target == url.target && again?.isSecure == url.isSecure,
            "what is asked for is what was read")
        guard let prepared = try? HTTPClientRequest.Prepared(HTTPClientRequest(url)) else {
            require(false, "the client takes it")
            return false
        }
        let target = prepared.poolKey.connectionTarget
        // The client writes an IPv6 address in brackets.
        let host = target.host?.filter { $0 != "[" && $0 != "]" } ?? ""
        require(host == url.host.string && target.port == url.port, "the client connects there")
        require(prepared.poolKey.scheme.usesTLS == url.isSecure, "with TLS, or without")
        return true
    }

    private static var documents: [[UInt8]] {
        guard let key = keys?.verkey else { return [] }
        let endpoints = ["https://agent.example/", "http://[::1]:8020/x", "http://%5B/", "didcomm:transport/queue", ""]
        let made = endpoints.map { endpoint -> JSON in
            [
                "id": "did:example:a",
                "verificationMethod": [
                    ["id": "#1", "type": "Ed25519VerificationKey2018", "publicKeyBase58": .string(key.base58)]
                ],
                "service": [
                    [
                        "id": "#s", "type": "did-communication", "priority": 1, "recipientKeys": ["#1"],
                        "routingKeys": [.string(key.didKey)], "serviceEndpoint": .text(endpoint),
                    ],
                    [
                        "id": "#t", "type": "DIDCommMessaging", "recipientKeys": [.string(key.didKey)],
                        "serviceEndpoint": ["uri": .text(endpoint)],
                    ],
                ],
            ]
        }
        return made.map(\.compactBytes) + made.map { Array(PeerDID.encode4($0).long.utf8) }
    }
}
