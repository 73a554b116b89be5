package import Encoding

// A signed ledger head for the agents. The gate sends the head to the agents with the entries, and the agents return
// it. Only a head that this gate signed is evidence about its ledger: an agent can invent a position and a hash, but
// not the signature.
extension WitnessKey {
    /// Signs the ledger's end for the agents that receive its entries. Returns the Ed25519 signature, 64 bytes; nil
    /// only if the library cannot sign.
    package func sign(sent end: ChainPoint, of ledger: Text) -> [UInt8]? {
        sign(Self.statement(ledger, end.count, end.hash))
    }

    /// Returns whether this key signed the statement that the ledger reached `count` entries with the hash `hash`.
    package func hasSigned(_ ledger: Text, count: Int, hash: ChainHash, _ signature: [UInt8]) -> Bool {
        Self.isSigned(Self.statement(ledger, count, hash), signature, by: publicKey)
    }

    /// Returns the statement to sign: compact JSON, members in fixed order. The member `type` distinguishes the
    /// statement from other data that the key signs.
    private static func statement(_ ledger: Text, _ count: Int, _ hash: ChainHash) -> [UInt8] {
        let json: JSON = [
            "type": "gatehouse/sent-head/1", "ledger": .string(ledger), "count": .int(count), "hash": .text(hash.hex),
        ]
        return json.compactBytes
    }
}
