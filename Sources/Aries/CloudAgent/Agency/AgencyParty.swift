package import DIDComm
package import Encoding

/// Somebody who is addressed by a DID and spoken to under a key: the agency, our agent there, a connection's agent, or ourselves.
package struct AgencyParty: Hashable, Sendable {
    /// The DID as the agency writes it, at most 64 bytes; an agency's need not be made of its key.
    package let did: Text
    /// The key.
    package let key: Verkey

    /// Bytes of the longest DID that is read; an unqualified one has 22.
    package static let didBytes = 64

    /// A party of that DID.
    package init(did: Text, key: Verkey) { (self.did, self.key) = (did, key) }

    /// The party that a key of ours makes: its DID is base58 of the key's first 16 bytes.
    package init(_ key: Verkey) { self.init(did: key.unqualifiedDID, key: key) }

    /// Reads a DID and a key; nil unless both are there and usable.
    init?(did: JSON?, key: JSON?) {
        guard let did = did?.string, (1...Self.didBytes).contains(did.utf8.count),
            let key = key?.string.flatMap({ Verkey($0) })
        else { return nil }
        self.init(did: did, key: key)
    }
}
