package import Encoding

// A head that goes to the agents with their entries. They give it back. Only a head that this box signed is evidence
// about its ledger: an agent can invent a position and a hash, but not the signature.
extension WitnessKey {
    /// The Ed25519 signature of a ledger's end, 64 bytes, for those who get its entries; nil only if the library
    /// cannot.
    package func sign(sent end: ChainPoint, of ledger: Text) -> [UInt8]? {
        sign(Self.statement(ledger, end.count, end.hash))
    }

    /// Whether this key signed that the ledger came as far as `count` with that hash.
    package func hasSigned(_ ledger: Text, count: Int, hash: ChainHash, _ signature: [UInt8]) -> Bool {
        Self.isSigned(Self.statement(ledger, count, hash), signature, by: publicKey)
    }

    /// Compact JSON, members in fixed order. The type keeps it apart from whatever else the key signs.
    private static func statement(_ ledger: Text, _ count: Int, _ hash: ChainHash) -> [UInt8] {
        let json: JSON = [
            "type": "gatehouse/sent-head/1", "ledger": .string(ledger), "count": .int(count), "hash": .text(hash.hex),
        ]
        return json.compactBytes
    }
}
