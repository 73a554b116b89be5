import Crypto
import Encoding

/// The keys of one session, derived from a valid Identify write. Only the direction from wallet to verifier is
/// encrypted.
struct SecureChannel: Sendable {
    /// The receiver. Its name is part of the key derivation.
    enum Receiver: String {
        case verifier = "SKVerifier"
        case wallet = "SKWallet"
    }

    /// The length of an Identify value in bytes: nonce (12), public key (32).
    static let identifyLength = 44
    private static let nonceLength = 12
    private static let tagLength = 16

    /// The 44 bytes of the Identify value: nonce and wallet key. Neither is secret.
    let identify: [UInt8]
    /// An identifier of the shared secret, 16 bytes. The identifier reveals nothing about the secret.
    let fingerprint: [UInt8]
    private let key: SymmetricKey
    private let nonce: AES.GCM.Nonce

    /// Derives the keys from `identify`, which must have exactly ``identifyLength`` bytes. Throws for a key of low
    /// order.
    init(verifierKey: VerifierKey, identify: [UInt8]) throws(TuvaliError) {
        guard identify.count == Self.identifyLength,
            let secret = verifierKey.sharedSecret(with: identify[Self.nonceLength...]),
            let nonce = try? AES.GCM.Nonce(data: identify.prefix(Self.nonceLength))
        else { throw .weakWalletKey }
        self.identify = identify
        self.nonce = nonce
        key = Self.deriveKey(secret, for: .verifier)
        fingerprint = Self.derive(secret, "gatehouse session", 16).withUnsafeBytes { Array($0) }
    }

    /// Derives a key of 32 bytes by HKDF-SHA-256 with the salt "SHA-256" (the ASCII text).
    static func deriveKey(_ secret: SharedSecret, for receiver: Receiver) -> SymmetricKey {
        derive(secret, receiver.rawValue, 32)
    }

    private static func derive(_ secret: SharedSecret, _ info: String, _ length: Int) -> SymmetricKey {
        secret.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: Array("SHA-256".utf8), sharedInfo: Array(info.utf8), outputByteCount: length)
    }

    /// Authenticates and decrypts the data from the wallet (AES-256-GCM, tag last). Then inflates the data to at most
    /// `inflatedLimit` bytes.
    func open(_ sealed: ArraySlice<UInt8>, inflatedLimit: Int) throws(TuvaliError) -> [UInt8] {
        guard sealed.count > Self.tagLength,
            let box = try? AES.GCM.SealedBox(
                nonce: nonce, ciphertext: sealed.dropLast(Self.tagLength), tag: sealed.suffix(Self.tagLength)),
            let opened = try? AES.GCM.open(box, using: key)
        else { throw .notAuthentic }
        var compressed = Array(opened)
        defer { compressed.wipe() }
        do {
            return try Gzip.inflate(compressed, limit: inflatedLimit)
        } catch .tooLarge {
            throw .inflatedTooLarge
        } catch {
            throw .notCompressed
        }
    }
}

extension [UInt8] {
    /// Overwrites the bytes with zeros and empties the array.
    mutating func wipe() {
        withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0) }
        self = []
    }
}
