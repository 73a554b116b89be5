package import DIDComm
package import Encoding

extension KeyPair {
    /// The key pair in its stored form: its secret seed in base64. The store must protect it.
    package var json: JSON { .text(seed.withBytes { Base64.encode($0) }) }

    /// Reads a key pair from its stored form (``json``); nil for any other value.
    package init?(json: JSON?) {
        guard let seed = json?.string.flatMap({ Base64.decodeURL($0.string) }) else { return nil }
        self.init(seed: Secret(seed))
    }
}

extension [Verkey] {
    /// The keys in their stored form: an array of base58 texts.
    package var json: JSON { .array(map { .string($0.base58) }) }

    /// Reads an array of keys, each in one of the forms that ``Verkey`` reads; nil if one of them cannot be read.
    package init?(json: JSON?) {
        guard let entries = json?.array else { return nil }
        let keys = entries.compactMap { $0.string.flatMap { Verkey($0) } }
        guard keys.count == entries.count else { return nil }
        self = keys
    }
}
