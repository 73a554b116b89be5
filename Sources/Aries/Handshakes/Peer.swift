package import DIDComm
package import Encoding

/// The other party of a completed handshake.
package struct Peer: Hashable, Sendable {
    /// The peer's DID for this connection.
    package let did: Text
    /// The service at which the peer can be reached. The service's first recipient key authenticates every
    /// message of the peer.
    package let service: Service

    /// Creates a peer that is reached by `service`.
    package init(did: Text, service: Service) {
        (self.did, self.service) = (did, service)
    }

    /// The key that must authenticate every message of the peer; nil only for a service without a key. No
    /// handshake returns such a service.
    package var verkey: Verkey? { service.recipientKeys.first }
}

/// Why a handshake's answer is refused.
package enum HandshakeFailure: Error, Hashable, Sendable {
    /// A member is absent or not decodable.
    case malformed
    /// No signature binds the answer to the key of the invitation.
    case unsigned
    /// The signature, or a key that the answer names, is not that of the invitation.
    case notTheInviter
    /// The signed DID is not the answer's DID.
    case otherDID
    /// The DID needs a resolver that a gate does not have.
    case unresolvable
    /// No service in the document can be reached by HTTP with at most ``MailboxAddress/maxRoutingKeys``
    /// routing keys.
    case noService
}

extension HandshakeFailure: CustomStringConvertible {
    /// What is wrong with the answer, in plain words.
    package var description: String {
        switch self {
        case .malformed: "a part of it is missing or cannot be read"
        case .unsigned: "no part of it is signed by the inviter"
        case .notTheInviter: "it is not signed by the key of the invitation"
        case .otherDID: "the signed DID differs from the one it names"
        case .unresolvable: "its DID can be resolved only by a ledger or another service"
        case .noService: "it names no address that is reachable by HTTP through a few mediators"
        }
    }
}
