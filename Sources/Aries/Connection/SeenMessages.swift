import Crypto
import DIDComm
import Encoding

/// The last inbound messages by sender and `@id`: at-least-once delivery makes repetition normal.
struct SeenMessages: Sendable {
    private var recent: RecentSet<UInt64>
    /// The keys of the messages that ``takeFresh()`` has not returned yet, oldest first.
    private var fresh: [UInt64] = []

    /// Creates a set of up to `capacity` messages that begins with the messages of the given keys.
    init(capacity: Int, _ keys: [[UInt8]]) {
        recent = RecentSet(capacity: capacity)
        for key in keys {
            var reader = ByteReader(key)
            if let fingerprint = try? reader.uint64BE() { _ = recent.insert(fingerprint) }
        }
    }

    /// Returns whether a message is known.
    func contains(_ id: Text, from sender: Verkey) -> Bool { recent.contains(Self.fingerprint(id, sender)) }

    /// Remembers a message. Returns false if the message was known already.
    mutating func insert(_ id: Text, from sender: Verkey) -> Bool {
        let fingerprint = Self.fingerprint(id, sender)
        guard recent.insert(fingerprint) else { return false }
        fresh = fresh.suffix(recent.capacity - 1) + [fingerprint]
        return true
    }

    private static func fingerprint(_ id: Text, _ sender: Verkey) -> UInt64 {
        // 64 bits are enough: only the authenticated sender itself could aim for a collision.
        SHA256.hash(data: sender.bytes + Array(id.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns the keys of the messages seen since the last call, 8 bytes each, oldest first.
    mutating func takeFresh() -> [[UInt8]] {
        defer { fresh = [] }
        return fresh.map { fingerprint in
            var bytes: [UInt8] = []
            bytes.appendBE(fingerprint)
            return bytes
        }
    }
}
