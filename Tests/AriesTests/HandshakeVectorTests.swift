import Aries
import DIDComm
import Encoding
import Foundation
import TestKit
import Testing

@Suite struct HandshakeVectorTests {
    private func tally(_ name: String, _ check: (JSON) -> String?) throws {
        guard let path = Vectors.path("didcomm/\(name)") else { return }
        var tally = VectorTally("didcomm/\(name)")
        for item in try JSON.parse(try Vectors.bytes(path))["cases"]?.array ?? [] {
            tally.record(item["name"]?.string?.string ?? "?", check(item))
        }
        #expect(tally.finish() == [])
    }

    @Test func didExchangeResponses() throws { try tally("didexchange-responses.json", didExchangeFailure) }

    private func didExchangeFailure(_ item: JSON) -> String? {
        guard let response = item["response"], let valid = item["valid"]?.bool,
            let key = item["invitation_key"]?.string.flatMap({ Verkey($0) })
        else { return "case not understood" }
        do {
            let peer = try DIDExchange.verify(response: response, invitationKey: key)
            guard valid else { return "accepted" }
            guard peer.verkey?.base58 == item["their_verkey"]?.string else { return "their key" }
            guard peer.service.endpoint == item["their_endpoint"]?.string else { return "their endpoint" }
            let routing = peer.service.routingKeys.map { JSON.string($0.base58) }
            guard JSON.array(routing) == item["their_routing_keys"] else { return "their routing keys" }
            return nil
        } catch {
            return valid ? "refused: \(error)" : nil
        }
    }

    @Test func connectionResponses() throws { try tally("connection-responses.json", connectionFailure) }

    private func connectionFailure(_ item: JSON) -> String? {
        guard let response = item["response"], let key = item["invitation_key"]?.string.flatMap({ Verkey($0) })
        else { return "case not understood" }
        let valid = item["valid"]?.bool  // null: either result is allowed
        do {
            let signed = try LegacyConnection.verify(response: response, invitationKey: key)
            if valid == false { return "accepted" }
            guard valid == true else { return nil }
            guard signed.connection == item["connection"] else { return "connection" }
            guard JSON.int(Int(clamping: signed.timestamp)) == item["timestamp"] else { return "timestamp" }
            return nil
        } catch {
            return valid == true ? "refused: \(error)" : nil
        }
    }

    @Test func peerDID4RoundTripAndHash() throws {
        let document: JSON = ["service": [], "ä": "✓"]
        let (long, short) = PeerDID.encode4(document)
        let decoded = try PeerDID.decode4(long)
        #expect(decoded.document == document)
        #expect(decoded.short == short)
        let altered = Text(String(long.string.dropLast()) + (long.string.hasSuffix("1") ? "2" : "1"))
        #expect(throws: PeerDID.Failure.hashMismatch) { try PeerDID.decode4(altered) }
        #expect(throws: PeerDID.Failure.malformed) { try PeerDID.decode4(short) }
        for did in ["did:peer:4", "did:peer:4::", "did:peer:2", "did:peer:2.", "did:peer:2.S", "did:peer:2.Xabc"]
            as [Text]
        {
            #expect(throws: PeerDID.Failure.self) { try PeerDID.resolve(did) }
        }
        #expect(throws: PeerDID.Failure.needsResolver(method: "web")) { try PeerDID.resolve("did:web:a.example") }
    }

    @Test func attachmentsThatWeSignVerify() throws {
        let key = try #require(KeyPair(seed: Secret([UInt8](repeating: 3, count: 32))))
        let other = try #require(KeyPair(seed: Secret([UInt8](repeating: 4, count: 32))))
        let attachment = SignedAttachment.sign([1, 2, 3], mediaType: "text/string", id: "a", by: key)
        #expect(try SignedAttachment.verify(attachment, signedBy: key.verkey) == [1, 2, 3])
        #expect(throws: SignedAttachment.Failure.otherKey) {
            try SignedAttachment.verify(attachment, signedBy: other.verkey)
        }
    }

    @Test func messageTypes() {
        let type = MessageType("did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/trust_ping/1.0/ping")
        #expect(type?.prefix == .legacy && type?.isMessage("trust_ping", 1, "ping") == true)
        #expect(type?.text == "did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/trust_ping/1.0/ping")
        for text in [
            "", "https://didcomm.org/", "https://didcomm.org/a/b/c", "https://didcomm.org/a/1.0",
            "https://didcomm.org/a/1.0/",
            "https://didcomm.org/a/1/x", "https://didcomm.org/a/-1.0/x", "https://didcomm.org/a/99999.0/x",
            "https://example.org/a/1.0/x", "https://didcomm.org//1.0/x",
        ] as [Text] {
            #expect(MessageType(text) == nil, "\(text)")
        }
    }
}
