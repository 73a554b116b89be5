import Encoding
import Ledger
import Testing

/// The signature that is sent with a ledger's end and must be returned unchanged.
@Suite struct SentHeadTests {
    private let key = WitnessKey([UInt8](repeating: 1, count: 32))
    private let end = ChainPoint(count: 7, hash: .genesis(ledger: "some"), nextSeq: 4)

    @Test func onlyThisKeyForThisPlaceOfThisLedger() throws {
        let key = try #require(key)
        let signature = try #require(key.sign(sent: end, of: "ledger"))
        #expect(signature.count == 64)
        #expect(key.hasSigned("ledger", count: 7, hash: end.hash, signature))
        #expect(!key.hasSigned("ledger", count: 8, hash: end.hash, signature))
        #expect(!key.hasSigned("ledger", count: 7, hash: .genesis(ledger: "other"), signature))
        #expect(!key.hasSigned("another", count: 7, hash: end.hash, signature))
        let other = try #require(WitnessKey([UInt8](repeating: 2, count: 32)))
        #expect(!other.hasSigned("ledger", count: 7, hash: end.hash, signature))
        for bit in stride(from: 0, to: 512, by: 13) {
            var altered = signature
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!key.hasSigned("ledger", count: 7, hash: end.hash, altered), "\(bit)")
        }
        for length in [0, 1, 63] {
            #expect(!key.hasSigned("ledger", count: 7, hash: end.hash, Array(signature.prefix(length))))
        }
    }

    /// A holder of the public key can verify the signature by the protocol document alone.
    @Test func itIsWhatTheProtocolSays() throws {
        let key = try #require(key)
        let signature = try #require(key.sign(sent: end, of: "ledger"))
        let statement = #"{"type":"gatehouse/sent-head/1","ledger":"ledger","count":7,"hash":"\#(end.hash.hex)"}"#
        #expect(WitnessKey.isSigned(Array(statement.utf8), signature, by: key.publicKey))
    }
}
