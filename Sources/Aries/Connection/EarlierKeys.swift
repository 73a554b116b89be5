import DIDComm
import Encoding

/// The gate's earlier keys in one connection. They are kept because messages to them may still wait in a mailbox.
struct EarlierKeys: Sendable {
    /// A key and the attempt that used it.
    struct Entry: Sendable {
        let keys: KeyPair
        /// The attempt whose answer may still arrive.
        let attempt: AgentConnection.Attempt
        /// When the key is removed.
        let until: Instant
    }

    /// The largest number of earlier keys. Beyond it, the oldest key is removed.
    static let limit = 4
    /// How long an earlier key stays usable. Time in which the program does not run is not counted.
    static let life = Duration.seconds(7 * 86_400)

    private(set) var entries: [Entry] = []

    /// Adds a key, to be removed `life` after `now`. Removes the oldest key if there are more than ``limit``.
    mutating func keep(
        _ keys: KeyPair, of attempt: AgentConnection.Attempt, for life: Duration = life, at now: Instant
    ) {
        entries = entries.suffix(Self.limit - 1) + [Entry(keys: keys, attempt: attempt, until: now.advanced(by: life))]
    }

    /// Removes the keys whose time has passed.
    mutating func expire(at now: Instant) { entries.removeAll { now >= $0.until } }

    /// Returns the key pair with this public key, and the attempt that used it; nil if the key is unknown or was
    /// removed.
    func attempt(of key: Verkey) -> (keys: KeyPair, attempt: AgentConnection.Attempt)? {
        entries.first { $0.keys.verkey == key }.map { ($0.keys, $0.attempt) }
    }
}
