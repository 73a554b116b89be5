import Crypto
import DIDComm
import Encoding

/// The last inbound messages by sender and `@id`: at-least-once delivery makes repetition normal.
struct SeenMessages: Sendable {
    private let capacity: Int
    private var ring: [UInt64] = []
    private var oldest = 0
    private var known: Set<UInt64> = []

    /// Remembers up to `capacity` messages.
    init(capacity: Int) { self.capacity = max(capacity, 1) }

    /// Remembers a message; false when it was known.
    mutating func insert(_ id: Text, from sender: Verkey) -> Bool {
        // 64 bits are enough: only the authenticated sender itself could aim for a collision.
        let digest = SHA256.hash(data: sender.bytes + Array(id.utf8))
        return insert(digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    private mutating func insert(_ fingerprint: UInt64) -> Bool {
        guard known.insert(fingerprint).inserted else { return false }
        if ring.count < capacity {
            ring.append(fingerprint)
        } else {
            known.remove(ring[oldest])
            ring[oldest] = fingerprint
            oldest = (oldest + 1) % capacity
        }
        return true
    }

    /// Base64url of 8 bytes for each, oldest first.
    var encoded: String {
        var bytes: [UInt8] = []
        for fingerprint in ring[oldest...] + ring[..<oldest] {
            bytes.appendBE(fingerprint)
        }
        return Base64.encode(bytes)
    }

    /// Restores what ``encoded`` wrote; anything else is left out.
    init(capacity: Int, encoded: String) {
        self.init(capacity: capacity)
        var reader = ByteReader(Base64.decodeAny(encoded) ?? [])
        while let fingerprint = try? reader.uint64BE() { _ = insert(fingerprint) }
    }
}
