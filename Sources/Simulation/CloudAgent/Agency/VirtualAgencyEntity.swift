import DIDComm
import Encoding
import Mailboxes

/// An entity at a ``VirtualAgency`` that is addressed by DID or key.
struct VirtualAgencyEntity {
    /// The kind of entity; for the agent of a connection, also the agent that the connection belongs to.
    let kind: Kind
    let keys: KeyPair
    /// The agent's DID, derived from its key.
    let did: Text
    /// The key whose owner may send messages to the agent.
    let owner: Verkey
    /// The DID for which the agent was created: the gate's DID or, for the agent of a connection, the gate's
    /// DID in that connection.
    let forDID: Text
    /// Whether the agent received SIGNUP.
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
        /// The agent of a connection. `agent`: the DID of the gate's agent to which the connection belongs.
        case connection(agent: Text)
    }

    /// Returns whether this is the agent of a connection of the gate's agent with the DID `agent`.
    func isConnection(of agent: Text) -> Bool { kind == .connection(agent: agent) }
}

/// A message that the agent of a connection keeps.
struct VirtualAgencyMessage {
    let uid: Text
    var status: Text
    let payload: JSON

    /// Returns the message in the form that it has in an answer.
    func json(_ dialect: AgencyDialect, excludesPayload: Bool) -> JSON {
        var object: JSONObject = [
            "uid": .string(uid), "type": "aries", "senderDID": "", "statusCode": .string(status), "refMsgId": nil,
        ]
        if !excludesPayload || dialect == .node { object["payload"] = payload }
        if dialect == .evernym { object["deliveryDetails"] = [] }
        return .object(object)
    }
}
