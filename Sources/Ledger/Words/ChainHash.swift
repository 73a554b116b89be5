import Crypto
package import Encoding

/// The SHA-256 hash that binds an entry to all earlier entries.
package struct ChainHash: Hashable, Sendable {
    /// The length of a hash in bytes.
    package static let byteCount = 32
    /// The hash, ``byteCount`` bytes.
    package let bytes: [UInt8]

    /// Creates a hash from ``byteCount`` stored bytes; nil for any other number of bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    private init(of input: [UInt8]) {
        bytes = Array(SHA256.hash(data: input))
    }

    /// The hash before the first entry. The hash includes the ledger's id, so an entry of one ledger never fits into
    /// another ledger.
    package static func genesis(ledger: Text) -> ChainHash {
        ChainHash(of: Array("gatehouse/ledger/genesis/1\u{0}".utf8) + Array(ledger.utf8))
    }

    /// Returns the hash of the entry `body` at `position` after the entry with this hash.
    ///
    /// Input: `gatehouse/ledger/entry/1`, a zero byte, the previous hash (32 bytes), the position and the body's length
    /// (8 bytes each, most significant first), the body. All parts before the body have a fixed length, and the length
    /// of the body is included, so no two entries have the same input.
    package func next(position: Int, body: [UInt8]) -> ChainHash {
        var input = Array("gatehouse/ledger/entry/1\u{0}".utf8)
        input.reserveCapacity(input.count + 48 + body.count)
        input += bytes
        input.appendBE(UInt64(clamping: position))
        input.appendBE(UInt64(body.count))
        input += body
        return ChainHash(of: input)
    }

    /// The hash in lower-case hex, 64 digits.
    package var hex: String { Hex.encode(bytes) }
}
