import Crypto
import CryptoExtras
import Encoding

/// The keys in a backup, sealed under a passphrase: the file `keys`.
///
/// The file contains `GHb`, the version (1), a salt of 16 bytes, a nonce of 12 bytes, the ciphertext and a tag of 16
/// bytes: ChaCha20-Poly1305 (RFC 8439). Its key is derived from the passphrase with scrypt (RFC 7914; N = 2^16, r =
/// 8, p = 1, 64 MB). The additional authenticated data is everything before the nonce, and the digest of the backup's
/// manifest (``BackupManifest/digest``). The passphrase therefore authenticates every file in the backup.
struct KeyBox: Hashable, Sendable {
    /// The secret of the witness's key, 32 bytes; nil if it could not be read.
    var witness: [UInt8]?
    /// The secret of the sealing key, 32 bytes; nil if it could not be read.
    var agent: [UInt8]?

    /// The minimum length of a passphrase in bytes.
    static let shortest = 12
    /// The cost of one attempt with a passphrase: N of scrypt, a power of two. The file does not contain it.
    static let work = 1 << 16
    private static let mark = Array("GHb".utf8) + [1]
    private static let (saltBytes, nonceBytes) = (16, 12)

    /// Returns the content of the file `keys`. `manifest`: the digest of the backup's manifest. `random`:
    /// ``randomBytes`` random bytes that were never used before. Returns nil only if the cryptographic library fails.
    func seal(
        _ passphrase: [UInt8], manifest: [UInt8], random: [UInt8], work: Int = KeyBox.work
    ) -> [UInt8]? {
        let salt = Array(random.prefix(Self.saltBytes))
        let head = Self.mark + salt
        let json: JSON = [
            "witness": witness.map { .text(Hex.encode($0)) } ?? .null,
            "agent": agent.map { .text(Hex.encode($0)) } ?? .null,
        ]
        guard let key = Self.key(passphrase, salt, work),
            let nonce = try? ChaChaPoly.Nonce(data: random.dropFirst(Self.saltBytes).prefix(Self.nonceBytes)),
            let box = try? ChaChaPoly.seal(
                json.compactBytes, using: key, nonce: nonce, authenticating: head + manifest)
        else { return nil }
        return head + Array(box.combined)
    }

    /// The number of random bytes that ``seal(_:manifest:random:work:)`` needs.
    static var randomBytes: Int { saltBytes + nonceBytes }

    /// Opens the content of the file `keys`. Nil if the passphrase is wrong, or if the file or another part
    /// of the backup was changed.
    init?(_ bytes: [UInt8], _ passphrase: [UInt8], manifest: [UInt8], work: Int = KeyBox.work) {
        let head = Array(bytes.prefix(Self.mark.count + Self.saltBytes))
        guard head.starts(with: Self.mark), bytes.count <= 1024,
            let key = Self.key(passphrase, Array(head.suffix(Self.saltBytes)), work),
            let box = try? ChaChaPoly.SealedBox(combined: bytes.dropFirst(head.count)),
            let opened = try? ChaChaPoly.open(box, using: key, authenticating: head + manifest),
            let json = try? JSON.parse(Array(opened))
        else { return nil }
        func secret(_ name: Text) -> [UInt8]? { (json[name]?.string?.string).flatMap { Hex.decode($0) } }
        (witness, agent) = (secret("witness"), secret("agent"))
    }

    init(witness: [UInt8]?, agent: [UInt8]?) { (self.witness, self.agent) = (witness, agent) }

    private static func key(_ passphrase: [UInt8], _ salt: [UInt8], _ work: Int) -> SymmetricKey? {
        try? KDF.Scrypt.deriveKey(
            from: passphrase, salt: salt, outputByteCount: 32, rounds: work, blockSize: 8, parallelism: 1,
            maxMemory: 80 << 20)
    }
}
