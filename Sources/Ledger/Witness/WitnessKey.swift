import Crypto
package import Encoding

/// The secret that protects the ledger: it seals the figures of the database and signs the statements of the witness.
/// It is stored in another place than the database. An attacker who can write the database but does not have the secret
/// can forge neither seals nor statements.
package struct WitnessKey: Sendable {
    /// The length of the secret in bytes.
    package static let byteCount = 32
    /// The size of the random number that each seal needs, in bytes.
    package static let nonceBytes = 12

    private let signing: Curve25519.Signing.PrivateKey
    private let sealing: SymmetricKey
    private let rows: SymmetricKey

    /// Derives the keys from a secret of ``byteCount`` random bytes; nil for any other number of bytes.
    package init?(_ secret: [UInt8]) {
        guard secret.count == Self.byteCount else { return nil }
        func derive(_ label: String) -> [UInt8] {
            Array(HMAC<SHA256>.authenticationCode(for: Array(label.utf8), using: SymmetricKey(data: secret)))
        }
        guard let signing = try? Curve25519.Signing.PrivateKey(rawRepresentation: derive("gatehouse/witness/sign/1"))
        else { return nil }
        self.signing = signing
        sealing = SymmetricKey(data: derive("gatehouse/witness/seal/1"))
        rows = SymmetricKey(data: derive("gatehouse/witness/rows/1"))
    }

    /// The Ed25519 public key, 32 bytes, with which other parties check statements.
    package var publicKey: [UInt8] { Array(signing.publicKey.rawRepresentation) }

    /// Returns the code of a row, given its fields. Each field is hashed together with its length.
    package func code(ofRow fields: [[UInt8]]) -> RowSum {
        var code = HMAC<SHA256>(key: rows)
        for field in fields {
            var length: [UInt8] = []
            length.appendBE(UInt64(field.count))
            code.update(data: length)
            code.update(data: field)
        }
        return RowSum(Array(code.finalize())) ?? RowSum()
    }

    /// Returns the seal of a state: the checksum `sum` of the cursors, encrypted and bound to the state
    /// (ChaCha20-Poly1305). `nonce`: ``nonceBytes`` random bytes. With a nonce of another size the seal is empty, and
    /// an empty seal is never valid.
    package func seal(_ state: LedgerState, _ sum: RowSum, nonce: [UInt8]) -> [UInt8] {
        guard let nonce = try? ChaChaPoly.Nonce(data: nonce),
            let box = try? ChaChaPoly.seal(sum.bytes, using: sealing, nonce: nonce, authenticating: state.bytes)
        else { return [] }
        return Array(box.combined)
    }

    /// Returns the checksum in a seal; nil unless this key made the seal for exactly the state `state`.
    package func open(_ seal: [UInt8], of state: LedgerState) -> RowSum? {
        guard let box = try? ChaChaPoly.SealedBox(combined: seal),
            let sum = try? ChaChaPoly.open(box, using: sealing, authenticating: state.bytes)
        else { return nil }
        return RowSum(sum)
    }

    /// Returns a digest of a state and the checksum of the cursors, for statements. It reveals neither of them.
    package func digest(of state: LedgerState, _ sum: RowSum) -> [UInt8] {
        var code = HMAC<SHA256>(key: sealing)
        code.update(data: Array("gatehouse/witness/state/1\u{0}".utf8))
        code.update(data: sum.bytes)
        code.update(data: state.bytes)
        return Array(code.finalize())
    }

    /// Returns the code that confirms a restore from a backup: the ledger was restored to exactly the state `state`,
    /// when the last statement of the witness had the number `number`. `text`: the description of the restore. With a
    /// later statement, another state or another text the code is different, so an old confirmation does not become
    /// valid again.
    package func code(ofRestore text: Text, _ state: LedgerState, after number: Int) -> [UInt8] {
        var code = HMAC<SHA256>(key: sealing)
        var figures: [UInt8] = []
        for figure in [number, text.utf8.count] { figures.appendBE(UInt64(clamping: figure)) }
        code.update(data: Array("gatehouse/witness/restore/1\u{0}".utf8) + figures + Array(text.utf8))
        code.update(data: state.bytes)
        return Array(code.finalize())
    }

    /// Returns the Ed25519 signature over `statement`, 64 bytes; nil only if the cryptographic library fails.
    package func sign(_ statement: [UInt8]) -> [UInt8]? { (try? signing.signature(for: statement)).map(Array.init) }

    /// Returns whether `signature` is a valid Ed25519 signature over `statement` under `publicKey`.
    package static func isSigned(_ statement: [UInt8], _ signature: [UInt8], by publicKey: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else { return false }
        return key.isValidSignature(signature, for: statement)
    }
}
