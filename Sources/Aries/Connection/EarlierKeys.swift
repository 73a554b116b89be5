import DIDComm
import Encoding

/// Earlier keys of the gate in a connection: messages to them may still wait in a mailbox.
struct EarlierKeys: Sendable {
    /// A key and the attempt that used it.
    struct Entry: Sendable {
        let keys: KeyPair
        /// The attempt whose answer may still arrive.
        let attempt: AgentConnection.Attempt
        /// When the key is forgotten.
        let until: Instant
    }

    /// The maximum number of earlier keys that are kept. Above it, the oldest key is removed.
    static let limit = 4
    /// How long a key stays usable while the program runs. The time between two runs is not counted.
    static let life = Duration.seconds(7 * 86_400)

    private(set) var entries: [Entry] = []

    /// Keeps a key for the duration `life` from now on.
    mutating func keep(
        _ keys: KeyPair, of attempt: AgentConnection.Attempt, for life: Duration = life, at now: Instant
    ) {
        entries = entries.suffix(Self.limit - 1) + [Entry(keys: keys, attempt: attempt, until: now.advanced(by: life))]
    }

    /// Forgets the keys whose time is over.
    mutating func expire(at now: Instant) { entries.removeAll { now >= $0.until } }

    /// Returns the attempt that used this key.
    func attempt(of key: Verkey) -> (keys: KeyPair, attempt: AgentConnection.Attempt)? {
        entries.first { $0.keys.verkey == key }.map { ($0.keys, $0.attempt) }
    }
}
