package import DIDComm
package import Encoding

/// A party of the agency's protocol, with a DID and a key: the agency, the gate's agent at the agency, a connection's
/// agent, or the gate itself.
package struct AgencyParty: Hashable, Sendable {
    /// The DID as the agency writes it, at most ``didBytes`` bytes long. An agency's DID need not be derived from its
    /// key.
    package let did: Text
    /// The party's public key.
    package let key: Verkey

    /// The largest length of a DID, in bytes. A usual DID without method has 22.
    package static let didBytes = 64

    /// Creates a party with the given DID and key.
    package init(did: Text, key: Verkey) { (self.did, self.key) = (did, key) }

    /// Creates the party for a key of the gate. Its DID is the unqualified DID of the key: the first 16 bytes in
    /// base58.
    package init(_ key: Verkey) { self.init(did: key.unqualifiedDID, key: key) }

    /// Reads a DID and a key; nil if one of them is absent or invalid.
    init?(did: JSON?, key: JSON?) {
        guard let did = did?.string, (1...Self.didBytes).contains(did.utf8.count),
            let key = key?.string.flatMap({ Verkey($0) })
        else { return nil }
        self.init(did: did, key: key)
    }
}
