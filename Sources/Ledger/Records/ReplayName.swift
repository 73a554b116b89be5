import Crypto

/// The name by which the gate recognises a credential for which it opened, to detect a replay: the first 16 bytes of an
/// HMAC under the site key. It may be stored on disk, because without the key it reveals nothing about credential or
/// person. It differs from the credential's name in records.
package struct ReplayName: Hashable, Sendable {
    /// The length of a name in bytes.
    package static let byteCount = 16

    private let high: UInt64
    private let low: UInt64

    /// Creates a name from its stored bytes; nil for any other number of bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Creates a name from the first 16 bytes of an HMAC.
    init(_ code: HMAC<SHA256>.MAC) {
        let bytes = Array(code)
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8..<Self.byteCount].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The name as ``byteCount`` bytes.
    package var bytes: [UInt8] {
        [high, low].flatMap { part in (0..<8).map { UInt8(truncatingIfNeeded: part >> (56 - 8 * $0)) } }
    }
}
