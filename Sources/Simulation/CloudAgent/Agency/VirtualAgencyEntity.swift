import Aries
import DIDComm
import Encoding

/// Somebody at a ``VirtualAgency`` who can be addressed by DID or key.
struct VirtualAgencyEntity {
    /// What it is, and for agents of connections which agent of whom.
    let kind: Kind
    let keys: KeyPair
    /// Our DID would be made of the key; the agency's is what its operator says.
    let did: Text
    /// Who may speak to it.
    let owner: Verkey
    /// Whom it stands for.
    let forDID: Text
    /// Whether SIGNUP was there.
    var isSignedUp = false
    /// Where it tells of messages.
    var webhook: (id: Text, url: Text)?
    var isDeleted = false
    /// The messages that a connection's agent keeps, in order.
    var messages: [VirtualAgencyMessage] = []

    enum Kind: Hashable {
        /// Verity's agent between CONNECT and CREATE_AGENT.
        case provisional
        case agent
        /// The agent of a connection of that agent.
        case connection(agent: Text)
    }

    /// Whether it is a connection's agent of `agent`.
    func isConnection(of agent: Text) -> Bool { kind == .connection(agent: agent) }
}

/// A message that a connection's agent keeps.
struct VirtualAgencyMessage {
    let uid: Text
    var status: Text
    let payload: JSON

    /// The message in an answer.
    func json(_ dialect: AgencyDialect, excludesPayload: Bool) -> JSON {
        var object: JSONObject = [
            "uid": .string(uid), "type": "aries", "senderDID": "", "statusCode": .string(status), "refMsgId": nil,
        ]
        if !excludesPayload || dialect == .node { object["payload"] = payload }
        if dialect == .evernym { object["deliveryDetails"] = [] }
        return .object(object)
    }
}
