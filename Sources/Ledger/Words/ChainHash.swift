import Crypto
package import Encoding

/// The SHA-256 hash of an entry, which depends on all earlier entries, too.
package struct ChainHash: Hashable, Sendable {
    /// The length of a hash in bytes.
    package static let byteCount = 32
    /// The hash as ``byteCount`` bytes.
    package let bytes: [UInt8]

    /// Creates a hash from ``byteCount`` stored bytes; nil for any other number of bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    private init(of input: [UInt8]) {
        bytes = Array(SHA256.hash(data: input))
    }

    /// Returns the hash that precedes the first entry of the ledger with the id `ledger`. It depends on the id, so no
    /// entry of one ledger is valid in another.
    package static func genesis(ledger: Text) -> ChainHash {
        ChainHash(of: Array("gatehouse/ledger/genesis/1\u{0}".utf8) + Array(ledger.utf8))
    }

    /// Returns the hash of the entry with the body `body` at `position`, where `self` is the hash of the entry before.
    ///
    /// The input is `gatehouse/ledger/entry/1`, a zero byte, the hash before (32 bytes), the position and the length of
    /// the body (8 bytes each, big-endian), and the body. All parts before the body have a fixed length, so two
    /// different entries cannot have the same input.
    package func next(position: Int, body: [UInt8]) -> ChainHash {
        var input = Array("gatehouse/ledger/entry/1\u{0}".utf8)
        input.reserveCapacity(input.count + 48 + body.count)
        input += bytes
        input.appendBE(UInt64(clamping: position))
        input.appendBE(UInt64(body.count))
        input += body
        return ChainHash(of: input)
    }

    /// The hash as 64 lower-case hexadecimal digits.
    package var hex: String { Hex.encode(bytes) }
}
