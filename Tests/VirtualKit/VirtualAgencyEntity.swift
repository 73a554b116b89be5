import DIDComm
import Encoding
import Mailboxes

/// An agent in a ``VirtualAgency``. Its DID and its key are its address.
struct VirtualAgencyEntity {
    /// The kind of agent.
    let kind: Kind
    let keys: KeyPair
    /// The agent's DID, which is derived from its key.
    let did: Text
    /// The key of the owner, who may send messages to this agent.
    let owner: Verkey
    /// The DID for which the agent was created: the gate's DID, or for the agent of a connection the gate's DID in that
    /// connection.
    let forDID: Text
    /// Whether the agent has received SIGNUP.
    var isSignedUp = false
    /// The webhook to which the agency reports new messages; nil if the agent has set none.
    var webhook: (id: Text, url: Text)?
    var isDeleted = false
    /// The messages at the agent of a connection, oldest first.
    var messages: [VirtualAgencyMessage] = []

    enum Kind: Hashable {
        /// Verity's preliminary agent, between CONNECT and CREATE_AGENT.
        case provisional
        case agent
        /// The agent of a connection. `agent` is the DID of the gate's agent to which the connection belongs.
        case connection(agent: Text)
    }

    /// Returns whether this is the agent of a connection that belongs to the gate's agent `agent`.
    func isConnection(of agent: Text) -> Bool { kind == .connection(agent: agent) }
}

/// A message at the agent of a connection.
struct VirtualAgencyMessage {
    let uid: Text
    var status: Text
    let payload: JSON

    /// Returns the message as JSON, as it is in an answer of the dialect.
    func json(_ dialect: AgencyDialect, excludesPayload: Bool) -> JSON {
        var object: JSONObject = [
            "uid": .string(uid), "type": "aries", "senderDID": "", "statusCode": .string(status), "refMsgId": nil,
        ]
        if !excludesPayload || dialect == .node { object["payload"] = payload }
        if dialect == .evernym { object["deliveryDetails"] = [] }
        return .object(object)
    }
}
