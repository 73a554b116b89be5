import DIDComm
import Encoding
import Foundation
import TestKit
import Testing

@Suite struct EnvelopeVectorTests {
    @Test func everyEnvelopeDecidesAsItsValidSays() throws {
        guard let folder = Vectors.path("didcomm/envelopes") else { return }
        var tally = VectorTally("didcomm/envelopes")
        for file in Vectors.files(in: folder, withExtension: "json") {
            for item in try JSON.parse(try Vectors.bytes(file))["cases"]?.array ?? [] {
                tally.record(file.lastPathComponent + " " + (item["name"]?.string?.string ?? "?"), failure(item))
            }
        }
        #expect(tally.finish() == [])
    }

    private func failure(_ item: JSON) -> String? {
        guard let seed = item["recipient_seed_hex"]?.string.flatMap({ Hex.decode($0.string) }),
            let key = KeyPair(seed: Secret(seed)), let envelope = item["envelope"], let valid = item["valid"]?.bool
        else { return "case not understood" }
        if let verkey = item["recipient_verkey"]?.string, valid, key.verkey.base58 != verkey {
            return "seed gives another verkey"
        }
        do {
            let content = try Envelope.unpack(envelope.compactBytes, with: [key])
            guard valid else { return "accepted" }
            guard content.plaintext == item["plaintext"]?.string.map({ Array($0.utf8) }) else { return "plaintext" }
            guard content.sender?.base58 == item["sender_verkey"]?.string else { return "sender" }
            return nil
        } catch {
            return valid ? "refused: \(error.rawValue)" : nil
        }
    }

    @Test func keysAsTheVectorsSay() throws {
        guard let file = Vectors.path("didcomm/keys.json") else { return }
        var tally = VectorTally("didcomm/keys.json")
        for item in try JSON.parse(try Vectors.bytes(file))["cases"]?.array ?? [] {
            tally.record(item["name"]?.string?.string ?? "?", keyFailure(item))
        }
        #expect(tally.finish() == [])
    }

    private func keyFailure(_ item: JSON) -> String? {
        func text(_ name: Text) -> Text? { item[name]?.string }
        guard let seed = text("seed_hex").flatMap({ Hex.decode($0.string) }), let key = KeyPair(seed: Secret(seed))
        else { return "seed" }
        let verkey = key.verkey
        guard verkey.base58 == text("verkey_b58") else { return "verkey" }
        guard verkey.unqualifiedDID == text("did_unqualified") else { return "unqualified DID" }
        guard verkey.didKey == text("did_key") else { return "did:key" }
        guard Hex.encode(verkey.agreement) == text("x25519_public_hex")?.string else { return "X25519 public" }
        guard Hex.encode(key.sign(Array("abc".utf8))) == text("signature_of_abc_hex")?.string else {
            return "signature"
        }
        for form in ["verkey_b58", "did_key", "did_key_with_fragment"] as [Text] {
            guard let written = text(form), Verkey(written) == verkey else { return "reading \(form)" }
        }
        return nil
    }
}
