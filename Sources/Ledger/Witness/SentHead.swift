package import Encoding

// The signed head of the ledger for agents. The gate sends it with the entries, and the agents return it later. An
// agent can invent a position and a hash, but not this signature; so only a head that this gate signed is evidence
// about its ledger.
extension WitnessKey {
    /// Signs the ledger's end for the agents that receive its entries. Returns the Ed25519 signature, 64 bytes; nil
    /// only if the cryptographic library fails.
    package func sign(sent end: ChainPoint, of ledger: Text) -> [UInt8]? {
        sign(Self.statement(ledger, end.count, end.hash))
    }

    /// Returns whether this key signed the statement that the ledger `ledger` had `count` entries and then the hash
    /// `hash`.
    package func hasSigned(_ ledger: Text, count: Int, hash: ChainHash, _ signature: [UInt8]) -> Bool {
        Self.isSigned(Self.statement(ledger, count, hash), signature, by: publicKey)
    }

    /// Returns the bytes to sign: compact JSON with its members in a fixed order. The member `type` distinguishes them
    /// from other data that are signed with this key.
    private static func statement(_ ledger: Text, _ count: Int, _ hash: ChainHash) -> [UInt8] {
        let json: JSON = [
            "type": "gatehouse/sent-head/1", "ledger": .string(ledger), "count": .int(count), "hash": .text(hash.hex),
        ]
        return json.compactBytes
    }
}
