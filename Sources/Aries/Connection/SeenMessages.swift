import Crypto
import DIDComm
import Encoding

/// The last inbound messages by sender and `@id`, to recognise repetitions. Repetitions are normal, because messages
/// are delivered at least once.
struct SeenMessages: Sendable {
    private var recent: RecentSet<UInt64>
    /// The fingerprints of the messages that ``takeFresh()`` has not returned yet, oldest first.
    private var fresh: [UInt64] = []

    /// Creates a set of up to `capacity` messages. At first it contains the messages with the given 8-byte keys, which
    /// ``takeFresh()`` of an earlier run returned.
    init(capacity: Int, _ keys: [[UInt8]]) {
        recent = RecentSet(capacity: capacity)
        for key in keys {
            var reader = ByteReader(key)
            if let fingerprint = try? reader.uint64BE() { _ = recent.insert(fingerprint) }
        }
    }

    /// Returns whether a message with this sender and id was recorded.
    func contains(_ id: Text, from sender: Verkey) -> Bool { recent.contains(Self.fingerprint(id, sender)) }

    /// Records a message. Returns false if it was recorded already.
    mutating func insert(_ id: Text, from sender: Verkey) -> Bool {
        let fingerprint = Self.fingerprint(id, sender)
        guard recent.insert(fingerprint) else { return false }
        fresh = fresh.suffix(recent.capacity - 1) + [fingerprint]
        return true
    }

    private static func fingerprint(_ id: Text, _ sender: Verkey) -> UInt64 {
        // 64 bits are enough: only a sender whose key is authenticated could search for a collision.
        SHA256.hash(data: sender.bytes + Array(id.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns the keys of the messages recorded since the last call, 8 bytes each, oldest first.
    mutating func takeFresh() -> [[UInt8]] {
        defer { fresh = [] }
        return fresh.map { fingerprint in
            var bytes: [UInt8] = []
            bytes.appendBE(fingerprint)
            return bytes
        }
    }
}
