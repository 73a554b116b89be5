import Crypto
package import Encoding

/// The secret key with which the names of credentials in records are computed. If all gates of a site have the same
/// key, repeated visits can be recognised at this site. Without the key the names reveal nothing.
package struct SiteKey: Sendable {
    /// The length of the key in bytes.
    package static let byteCount = 32

    private let key: SymmetricKey

    /// Creates a key from ``byteCount`` random bytes; nil for any other number of bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        key = SymmetricKey(data: bytes)
    }

    /// Returns the name of a credential in records: an HMAC-SHA-256, in lower-case hex, over `hash`, the SHA-256 of the
    /// credential's signed content.
    package func name(ofSignedContent hash: [UInt8]) -> Text {
        var code = HMAC<SHA256>(key: key)
        code.update(data: Array("gatehouse/credential/1\u{0}".utf8))
        code.update(data: hash)
        return Text(Hex.encode(code.finalize()))
    }

    /// Returns the replay name of a credential. `key`: a replay key of the verdict, which identifies the credential.
    package func replayName(of key: [UInt8]) -> ReplayName {
        var code = HMAC<SHA256>(key: self.key)
        code.update(data: Array("gatehouse/replay/1\u{0}".utf8))
        code.update(data: key)
        return ReplayName(code.finalize())
    }
}
