import DIDComm
import Encoding

/// Keys of ours that a connection used before: what was sent to them may still wait in a mailbox.
struct EarlierKeys: Sendable {
    /// A key and what it was for.
    struct Entry: Sendable {
        let keys: KeyPair
        /// The attempt whose answer may yet come.
        let attempt: AgentConnection.Attempt
        /// When it is forgotten.
        let until: Instant
    }

    /// Those that are kept; the oldest goes.
    static let limit = 4
    /// How long one stays readable while the program runs; the time between two runs is not counted.
    static let life = Duration.seconds(7 * 86_400)

    private(set) var entries: [Entry] = []

    /// Keeps a key, for so long from now on.
    mutating func keep(
        _ keys: KeyPair, of attempt: AgentConnection.Attempt, for life: Duration = life, at now: Instant
    ) {
        entries = entries.suffix(Self.limit - 1) + [Entry(keys: keys, attempt: attempt, until: now.advanced(by: life))]
    }

    /// Forgets those whose time is over.
    mutating func expire(at now: Instant) { entries.removeAll { now >= $0.until } }

    /// The attempt that had this key.
    func attempt(of key: Verkey) -> (keys: KeyPair, attempt: AgentConnection.Attempt)? {
        entries.first { $0.keys.verkey == key }.map { ($0.keys, $0.attempt) }
    }
}
