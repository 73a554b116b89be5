import DIDComm
package import Encoding

/// A message to an agency. ``connect(_:)`` and ``createAgentByToken(_:_:thread:)`` are for the agency itself,
/// ``messages(_:)`` and ``deleteConnection`` for a connection's agent, and all others for the gate's agent at the
/// agency.
package enum AgencyRequest: Hashable, Sendable {
    /// CONNECT: creates an agent for the gate. The party is the gate's DID and key. Each CONNECT creates another agent.
    case connect(AgencyParty)
    /// SIGNUP: registers the gate's agent.
    case signUp
    /// CREATE_AGENT: creates the gate's agent.
    case createAgent
    /// CREATE_AGENT of agent-provisioning/0.7: creates the gate's agent with a sponsor's token. The party is the gate's
    /// DID and key.
    case createAgentByToken(ProvisionToken, AgencyParty, thread: Text)
    /// CREATE_KEY: creates an agent for the connection in which the gate has the given DID and key.
    case createKey(AgencyParty)
    /// GET_MSGS: returns the messages of one connection that match the query.
    case messages(AgencyQuery)
    /// GET_MSGS_BY_CONNS: returns the messages of several connections that match the query. The DIDs are the gate's in
    /// these connections; an empty list means all connections.
    case messagesByConnections([Text], AgencyQuery)
    /// UPDATE_MSG_STATUS_BY_CONNS: sets the given status for the listed messages.
    case updateStatuses(Text, [AgencyUIDs])
    /// UPDATE_CONN_STATUS: deletes the connection by setting its status to CS-103.
    case deleteConnection
    /// UPDATE_COM_METHOD: registers the URL `url`, to which the agency posts when a message arrives. An empty URL
    /// removes the registration. `id`: the name of the registration.
    case webhook(id: Text, url: Text)

    /// The status of messages that wait at the agency.
    package static let pending: Text = "MS-103"
    /// The status of messages that the gate has processed.
    package static let reviewed: Text = "MS-106"
    /// The status of a deleted connection. It is also the error code of later requests about this connection.
    package static let deleted: Text = "CS-103"

    /// The message name in the request's `@type`.
    package var name: Text {
        switch self {
        case .connect: "CONNECT"
        case .signUp: "SIGNUP"
        case .createAgent, .createAgentByToken: "CREATE_AGENT"
        case .createKey: "CREATE_KEY"
        case .messages: "GET_MSGS"
        case .messagesByConnections: "GET_MSGS_BY_CONNS"
        case .updateStatuses: "UPDATE_MSG_STATUS_BY_CONNS"
        case .deleteConnection: "UPDATE_CONN_STATUS"
        case .webhook: "UPDATE_COM_METHOD"
        }
    }

    /// The message name in the `@type` of the answer to this request.
    var answerName: Text {
        switch self {
        case .connect: "CONNECTED"
        case .signUp: "SIGNED_UP"
        case .createAgent, .createAgentByToken: "AGENT_CREATED"
        case .createKey: "KEY_CREATED"
        case .messages: "MSGS"
        case .messagesByConnections: "MSGS_BY_CONNS"
        case .updateStatuses: "MSG_STATUS_UPDATED_BY_CONNS"
        case .deleteConnection: "CONN_STATUS_UPDATED"
        case .webhook: "COM_METHOD_UPDATED"
        }
    }

    /// Returns the request as JSON, in the form that the server of `dialect` reads.
    package func json(_ dialect: AgencyDialect) -> JSON {
        let form = dialect.form(of: self)
        var object = JSONObject()
        object["@type"] = .string(AgencyType(form.family, form.version, name).text)
        switch self {
        case .signUp, .createAgent: break
        case .connect(let party):
            object["fromDID"] = .string(party.did)
            object["fromDIDVerKey"] = .string(party.key.base58)
        case .createAgentByToken(let token, let party, let thread):
            object["provisionToken"] = token.json
            object["requesterKeys"] = ["fromDID": .string(party.did), "fromVerKey": .string(party.key.base58)]
            object["~thread"] = ["thid": .string(thread)]
        case .createKey(let party):
            object["forDID"] = .string(party.did)
            object["forDIDVerKey"] = .string(party.key.base58)
        case .messages(let query): query.write(to: &object)
        case .messagesByConnections(let dids, let query):
            if !dids.isEmpty { object["pairwiseDIDs"] = .array(dids.map(JSON.string)) }
            query.write(to: &object)
        case .updateStatuses(let status, let lists):
            object["statusCode"] = .string(status)
            object["uidsByConns"] = .array(lists.map(\.json))
        case .deleteConnection: object["statusCode"] = .string(Self.deleted)
        case .webhook(let id, let url):
            object["comMethod"] = ["id": .string(id), "type": dialect.webhookType, "value": .string(url)]
        }
        return .object(object)
    }
}

/// The choice of the messages that a request asks for.
package struct AgencyQuery: Hashable, Sendable {
    /// The statuses of the messages to return. An empty list means all messages.
    package var statusCodes: [Text]
    /// Whether to return the messages without their content. The Node agency ignores this and sends the content.
    package var excludesPayload: Bool

    /// Creates a query for messages with one of the statuses `statusCodes`, by default for waiting messages.
    package init(
        statusCodes: [Text] = [AgencyRequest.pending], excludesPayload: Bool = false
    ) {
        (self.statusCodes, self.excludesPayload) = (statusCodes, excludesPayload)
    }

    fileprivate func write(to object: inout JSONObject) {
        if !statusCodes.isEmpty { object["statusCodes"] = .array(statusCodes.map(JSON.string)) }
        if excludesPayload { object["excludePayload"] = "Y" }
    }
}

/// Messages of one connection, by their ids.
package struct AgencyUIDs: Hashable, Sendable {
    /// The gate's DID in the connection, not the peer's.
    package let pairwiseDID: Text
    /// The ids of the messages. At the Node agency an id is unique in the whole agency, and the agency ignores the DID.
    package var uids: [Text]

    /// Creates a list of messages of the connection in which the gate has the DID `pairwiseDID`.
    package init(pairwiseDID: Text, uids: [Text]) { (self.pairwiseDID, self.uids) = (pairwiseDID, uids) }

    fileprivate var json: JSON {
        ["pairwiseDID": .string(pairwiseDID), "uids": .array(uids.map(JSON.string))]
    }
}
