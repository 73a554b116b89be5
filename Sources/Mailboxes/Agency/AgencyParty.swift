package import DIDComm
package import Encoding

/// A party with a DID and a key: the agency, the gate's agent there, a connection's agent, or the gate
/// itself.
package struct AgencyParty: Hashable, Sendable {
    /// The DID as the agency writes it, at most 64 bytes. The DID of an agency need not be derived from its
    /// key.
    package let did: Text
    /// The party's public key.
    package let key: Verkey

    /// The longest DID that is read, in bytes. An unqualified DID has 22.
    package static let didBytes = 64

    /// Creates a party with the given DID and key.
    package init(did: Text, key: Verkey) { (self.did, self.key) = (did, key) }

    /// Creates the party of a key of the gate: its DID is the base58 form of the key's first 16 bytes.
    package init(_ key: Verkey) { self.init(did: key.unqualifiedDID, key: key) }

    /// Reads a DID and a key; nil unless both exist and are usable.
    init?(did: JSON?, key: JSON?) {
        guard let did = did?.string, (1...Self.didBytes).contains(did.utf8.count),
            let key = key?.string.flatMap({ Verkey($0) })
        else { return nil }
        self.init(did: did, key: key)
    }
}
