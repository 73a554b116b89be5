import Credentials
import Encoding
import Reasons
import TestKit
import Testing

/// Inputs that fuzzing found (Tests/Fuzz), and similar inputs. A combining mark after a prefix is not part of the
/// prefix.
@Suite struct FuzzFindingTests {
    @Test func aMarkInAProofValueIsRefused() throws {
        guard let fixture = try Fixture() else { return }
        let value = try #require(fixture.document["proof"]?["proofValue"]?.string?.string)
        #expect(try fixture.verify().isAccepted)
        let marked = fixture.changingProof("proofValue", to: .text("z\u{301}" + value.dropFirst()))
        #expect(try fixture.verify(marked).code == .proofMalformed)
    }

    @Test func aMarkInAStatusListIsRefused() throws {
        let list = Base64.encode(try Gzip.deflate([UInt8](repeating: 0, count: 16_384)))
        #expect(throws: Never.self) { try BitstringStatusList(encoded: Text("u" + list)) }
        #expect(throws: BitstringStatusList.Malformed.self) {
            try BitstringStatusList(encoded: Text("u\u{301}" + list))
        }
    }

    @Test func aMarkInAnOperatorKeyIsRefused() throws {
        let seed = [UInt8](repeating: 9, count: 32)
        let key = try #require(OperatorSigningKey(seed: seed)).publicKey
        #expect(OperatorKey(Text("did:key:" + key.text)) == key)
        #expect(OperatorKey(Text("did:key:\u{301}" + key.text)) == nil)
    }
}
