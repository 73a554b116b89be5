package import DIDComm
package import Encoding

/// The program at the other end of a connection whose handshake is complete.
package struct Peer: Hashable, Sendable {
    /// The peer's DID for this connection.
    package let did: Text
    /// The service at which the peer can be reached. The service's first recipient key authenticates every
    /// message of the peer.
    package let service: Service

    /// Creates a peer with the DID `did`, which can be reached at `service`.
    package init(did: Text, service: Service) {
        (self.did, self.service) = (did, service)
    }

    /// The key that must authenticate every message of the peer. Nil only for a service without recipient keys, which
    /// no handshake returns.
    package var verkey: Verkey? { service.recipientKeys.first }
}

/// Why the gate refuses the inviter's answer to a handshake request.
package enum HandshakeFailure: Error, Hashable, Sendable {
    /// A member of the answer is absent or cannot be decoded.
    case malformed
    /// No signature binds the answer to the key of the invitation.
    case unsigned
    /// The answer is signed, but not with the invitation's key, or it names another key as the signer.
    case notTheInviter
    /// The signed DID differs from the DID in the answer.
    case otherDID
    /// Only a ledger or another service can resolve the inviter's DID, and a gate uses none.
    case unresolvable
    /// No service in the inviter's DID document can be reached by HTTP with at most ``MailboxAddress/maxRoutingKeys``
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
