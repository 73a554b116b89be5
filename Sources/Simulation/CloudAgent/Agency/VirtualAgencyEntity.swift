import Aries
import DIDComm
import Encoding

/// An entity at a ``VirtualAgency`` that is addressed by DID or key.
struct VirtualAgencyEntity {
    /// The kind of entity; for the agent of a connection, also the agent that the connection belongs to.
    let kind: Kind
    let keys: KeyPair
    /// Its DID, derived from the key.
    let did: Text
    /// The key whose owner may send messages to it.
    let owner: Verkey
    /// The DID that it represents.
    let forDID: Text
    /// Whether SIGNUP was received.
    var isSignedUp = false
    /// The webhook that is called when a message arrives.
    var webhook: (id: Text, url: Text)?
    var isDeleted = false
    /// The messages that the agent of a connection keeps, in order.
    var messages: [VirtualAgencyMessage] = []

    enum Kind: Hashable {
        /// Verity's agent between CONNECT and CREATE_AGENT.
        case provisional
        case agent
        /// The agent of a connection of that agent.
        case connection(agent: Text)
    }

    /// Returns whether it is the agent of a connection of `agent`.
    func isConnection(of agent: Text) -> Bool { kind == .connection(agent: agent) }
}

/// A message that the agent of a connection keeps.
struct VirtualAgencyMessage {
    let uid: Text
    var status: Text
    let payload: JSON

    /// Returns the message as it is in an answer.
    func json(_ dialect: AgencyDialect, excludesPayload: Bool) -> JSON {
        var object: JSONObject = [
            "uid": .string(uid), "type": "aries", "senderDID": "", "statusCode": .string(status), "refMsgId": nil,
        ]
        if !excludesPayload || dialect == .node { object["payload"] = payload }
        if dialect == .evernym { object["deliveryDetails"] = [] }
        return .object(object)
    }
}
