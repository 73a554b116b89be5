import DIDComm
import Encoding
import Mailboxes

/// An entity of a ``VirtualAgency`` with a DID and a key as its address.
struct VirtualAgencyEntity {
    /// The kind of entity and, for the agent of a connection, the agent to which the connection belongs.
    let kind: Kind
    let keys: KeyPair
    /// The agent's DID, derived from its key.
    let did: Text
    /// The key whose owner may send messages to the agent.
    let owner: Verkey
    /// The DID for which the agent was created: the gate's DID or, for the agent of a connection, the gate's DID in
    /// that connection.
    let forDID: Text
    /// Whether the agent received SIGNUP.
    var isSignedUp = false
    /// The webhook to call when a message arrives.
    var webhook: (id: Text, url: Text)?
    var isDeleted = false
    /// The messages of a connection's agent, in order.
    var messages: [VirtualAgencyMessage] = []

    enum Kind: Hashable {
        /// Verity's agent between CONNECT and CREATE_AGENT.
        case provisional
        case agent
        /// The agent of a connection. `agent`: the DID of the gate's agent to which the connection belongs.
        case connection(agent: Text)
    }

    /// Returns whether the entity is the agent of a connection, and the connection belongs to the gate's agent `agent`.
    func isConnection(of agent: Text) -> Bool { kind == .connection(agent: agent) }
}

/// A message at the agent of a connection.
struct VirtualAgencyMessage {
    let uid: Text
    var status: Text
    let payload: JSON

    /// Returns the message in the form of an answer.
    func json(_ dialect: AgencyDialect, excludesPayload: Bool) -> JSON {
        var object: JSONObject = [
            "uid": .string(uid), "type": "aries", "senderDID": "", "statusCode": .string(status), "refMsgId": nil,
        ]
        if !excludesPayload || dialect == .node { object["payload"] = payload }
        if dialect == .evernym { object["deliveryDetails"] = [] }
        return .object(object)
    }
}
