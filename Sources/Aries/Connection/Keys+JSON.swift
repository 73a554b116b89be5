import DIDComm
import Encoding

extension KeyPair {
    /// As it is kept: the secret seed. The store has to protect it.
    var json: JSON { .text(seed.withBytes { Base64.encode($0) }) }

    /// Reads what ``json`` wrote; nil for anything else.
    init?(json: JSON?) {
        guard let seed = json?.string.flatMap({ Base64.decodeURL($0.string) }) else { return nil }
        self.init(seed: Secret(seed))
    }
}

extension [Verkey] {
    /// As they are kept.
    var json: JSON { .array(map { .string($0.base58) }) }

    /// Reads a list of keys in any form that agents write; nil for anything else.
    init?(json: JSON?) {
        guard let entries = json?.array else { return nil }
        let keys = entries.compactMap { $0.string.flatMap { Verkey($0) } }
        guard keys.count == entries.count else { return nil }
        self = keys
    }
}
