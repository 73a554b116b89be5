import DIDComm
import Encoding
import Testing

@testable import Aries

/// An endpoint that is not a strict URL (``WebURL``) is refused before anything is stored.
@Suite struct EndpointTests {
    private static let bad = [
        "https://127.0.0.1:70000/", "https://127.0.0.1:0/", "https://127.0.0.1:99999999999999999999/",
        "http://[::1]:65536", "https://a.test:+80/", "https://a.test:8a/", "https://u:1@a.test:70000/",
        "https://a.test:70000?b", "https://a.test:70000#b", "https://a.test:/", "https://u:70000@a.test/",
        "https://%5B::1%5D/", "https://%5D/", "https://a%2Etest/", "https://[::1%25lo]/", "https://", "https:///a",
        "https://a b/", "https://ä.test/", "https://a.test/#b", "https://a.test\\@b.test/",
    ]
    private static let good = [
        "https://127.0.0.1/", "https://A.test/", "https://a_1.test:1", "http://a.test:65535/b", "http://[::1]/",
        "http://[::1]:8080/", "https://a.test/b:70000", "https://a.test?b=:0", "https://a.test/@b",
    ]

    private let key: Verkey

    init() throws { key = try #require(KeyPair(seed: Secret([UInt8](repeating: 6, count: 32)))).verkey }

    private func invitation(_ endpoint: String) throws -> Invitation {
        try Invitation([
            "@type": "https://didcomm.org/out-of-band/1.1/invitation", "@id": "i",
            "handshake_protocols": ["https://didcomm.org/didexchange/1.1"],
            "services": [
                [
                    "id": "#inline", "type": "did-communication", "recipientKeys": [.string(key.didKey)],
                    "serviceEndpoint": .text(endpoint),
                ]
            ],
        ])
    }

    private func legacyInvitation(_ endpoint: String) throws -> Invitation {
        try Invitation([
            "@type": "https://didcomm.org/connections/1.0/invitation", "@id": "i", "label": "a",
            "recipientKeys": [.string(key.base58)], "serviceEndpoint": .text(endpoint),
        ])
    }

    private func document(_ endpoints: String...) -> DIDDocument {
        DIDDocument([
            "id": "did:sov:a",
            "service": .array(
                endpoints.map { endpoint in
                    [
                        "id": "#s", "type": "did-communication", "recipientKeys": [.string(key.didKey)],
                        "serviceEndpoint": .text(endpoint),
                    ]
                }),
        ])
    }

    @Test(arguments: bad) func anInvitationIsRefused(endpoint: String) throws {
        for invitation in [try invitation(endpoint), try legacyInvitation(endpoint)] {
            #expect(throws: InvitationError.unsupportedEndpoint) { try invitation.service() }
            #expect(throws: InvitationError.unsupportedEndpoint) {
                _ = try AgentConnection(
                    id: "c", invitation: invitation, configuration: .init(label: "k"),
                    random: stream(1)
                ).id
            }
        }
    }

    @Test(arguments: bad) func aServiceIsPassedOver(endpoint: String) {
        #expect(document(endpoint).preferredService == nil)
        #expect(document(endpoint, "https://a.test/").preferredService?.endpoint == "https://a.test/")
    }

    @Test(arguments: bad) func aPeerDIDLeadsNowhere(endpoint: String) throws {
        let did = DIDExchange.did(for: key, at: MailboxAddress(endpoint: Text(endpoint), routingKeys: []))
        #expect(try PeerDID.resolve(did).preferredService == nil)
    }

    @Test(arguments: bad) func aMediatorGrantsNoSuchAddress(endpoint: String) {
        #expect(MailboxAddress(granting: .text(endpoint), keys: [], allowsPlainHTTP: true) == nil)
    }

    @Test(arguments: good) func everyOtherIsTaken(endpoint: String) throws {
        #expect(try invitation(endpoint).service().endpoint == Text(endpoint))
        #expect(document(endpoint).preferredService?.endpoint == Text(endpoint))
    }

    /// The same rule as that of ``HTTPTransport`` for its own posts: a server that asks for a later attempt
    /// has refused nothing.
    @Test func statusesOfServersInTrouble() {
        for status in [408, 429, 500, 503] { #expect(ExchangeFailure(status: status) == .uncertain) }
        for status in [302, 400, 404, 410] { #expect(ExchangeFailure(status: status) == .refused(status: status)) }
    }
}
