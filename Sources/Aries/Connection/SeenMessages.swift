import Crypto
import DIDComm
import Encoding

/// The last inbound messages by sender and `@id`: at-least-once delivery makes repetition normal.
struct SeenMessages: Sendable {
    private let capacity: Int
    private var ring: [UInt64] = []
    private var oldest = 0
    private var known: Set<UInt64> = []
    /// Those that nobody has been told of yet, oldest first.
    private var fresh: [UInt64] = []

    /// Remembers up to `capacity` messages.
    init(capacity: Int) { self.capacity = max(capacity, 1) }

    /// Remembers a message; false when it was known.
    mutating func insert(_ id: Text, from sender: Verkey) -> Bool {
        let fingerprint = Self.fingerprint(id, sender)
        guard insert(fingerprint) else { return false }
        if fresh.count >= capacity { fresh.removeFirst() }
        fresh.append(fingerprint)
        return true
    }

    /// Whether a message is known.
    func contains(_ id: Text, from sender: Verkey) -> Bool { known.contains(Self.fingerprint(id, sender)) }

    private static func fingerprint(_ id: Text, _ sender: Verkey) -> UInt64 {
        // 64 bits are enough: only the authenticated sender itself could aim for a collision.
        SHA256.hash(data: sender.bytes + Array(id.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
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

    /// The keys of what was seen since this was called last, 8 bytes each, oldest first.
    mutating func takeFresh() -> [[UInt8]] {
        defer { fresh = [] }
        return fresh.map { fingerprint in
            var bytes: [UInt8] = []
            bytes.appendBE(fingerprint)
            return bytes
        }
    }

    /// Remembers up to `capacity` messages, beginning with those of these keys.
    init(capacity: Int, _ keys: [[UInt8]]) {
        self.init(capacity: capacity)
        for key in keys {
            var reader = ByteReader(key)
            if let fingerprint = try? reader.uint64BE() { _ = insert(fingerprint) }
        }
    }
}
