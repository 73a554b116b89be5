import Crypto
package import Encoding

/// The secret key of the site, from which the names of credentials are computed. If all gates of a site have the same
/// key, repeated visits are recognisable at the site. At any other place the names reveal nothing.
package struct SiteKey: Sendable {
    /// The length of the key in bytes.
    package static let byteCount = 32

    private let key: SymmetricKey

    /// Creates a key from ``byteCount`` random bytes; nil for any other number of bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        key = SymmetricKey(data: bytes)
    }

    /// Returns the name of a credential: an HMAC-SHA-256 of the SHA-256 hash `hash` of its signed content, in
    /// lower-case hex.
    package func name(ofSignedContent hash: [UInt8]) -> Text {
        var code = HMAC<SHA256>(key: key)
        code.update(data: Array("gatehouse/credential/1\u{0}".utf8))
        code.update(data: hash)
        return Text(Hex.encode(code.finalize()))
    }

    /// Returns the replay name for a replay key of a verdict.
    package func replayName(of key: [UInt8]) -> ReplayName {
        var code = HMAC<SHA256>(key: self.key)
        code.update(data: Array("gatehouse/replay/1\u{0}".utf8))
        code.update(data: key)
        return ReplayName(code.finalize())
    }
}
