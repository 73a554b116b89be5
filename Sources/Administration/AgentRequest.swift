package import Encoding

/// A request about connections to cloud agents. It is sent as the members of a ``ControlRequest``. This type writes
/// and reads them.
package enum AgentRequest: Hashable, Sendable {
    /// Asks the gate to follow the invitation with the text `invitation`, for the destination `destination`; nil: the
    /// primary agent.
    case connect(invitation: Text, destination: Text?)
    /// Asks for all connections.
    case list
    /// Asks for one connection: the one with the given id, or the one of the destination with the given name.
    case show(Text)
    /// Asks the gate to delete a connection, which is named as in ``show(_:)``. `isForced`: delete it even if its
    /// destination has not confirmed all entries. `tellsAgent`: first notify the agent.
    case delete(Text, isForced: Bool, tellsAgent: Bool)
    /// Asks the gate to ping the agent of a connection, which is named as in ``show(_:)``.
    case ping(Text)
    /// Asks for the messages of agents. `of` names the connection; nil: all connections. `uid` is the id of one
    /// message; nil: all messages. `pendingOnly`: only questions that have not been answered yet.
    case messages(of: Text?, uid: Text?, pendingOnly: Bool)
    /// Asks the gate to answer the question with the id `uid` by `response`. `of` names the connection over which the
    /// question arrived; nil: any connection.
    case answer(uid: Text, response: Text, of: Text?)

    /// The maximum length of a name or id in bytes.
    package static let nameLimit = 256
    /// The maximum length of an answer to a question in bytes.
    private static let responseLimit = 4096
    /// The maximum length of an invitation in bytes.
    package static let invitationLimit = 64 * 1024

    /// The control requests that are about connections.
    package static let requests = ControlRequest.allCases.filter(\.isAboutAgents)

    /// Reads the members of the request `request`. Returns nil if the request is not about connections. Throws if a
    /// member is missing, invalid or unknown.
    package init?(_ request: ControlRequest, _ members: JSONObject) throws(ControlRefusal) {
        var reader = Reader(members: members)
        switch request {
        case .status, .restart, .doorStatus, .doorLock, .doorFree, .doorRelease: return nil
        case .agentConnect:
            self = .connect(
                invitation: try reader.text("invitation", limit: Self.invitationLimit),
                destination: try reader.textIfPresent("destination"))
        case .agentList: self = .list
        case .agentShow: self = .show(try reader.text("connection"))
        case .agentDelete:
            self = .delete(
                try reader.text("connection"), isForced: try reader.flag("force"),
                tellsAgent: try reader.flag("tell"))
        case .agentPing: self = .ping(try reader.text("connection"))
        case .agentMessages:
            self = .messages(
                of: try reader.textIfPresent("connection"), uid: try reader.textIfPresent("uid"),
                pendingOnly: try reader.flag("pending"))
        case .agentAnswer:
            self = .answer(
                uid: try reader.text("uid"), response: try reader.text("response", limit: Self.responseLimit),
                of: try reader.textIfPresent("connection"))
        }
        try reader.end()
    }

    /// The control request and its members, as a client sends them.
    package var request: (ControlRequest, [JSONObject.Member]) {
        func text(_ name: Text, _ value: Text?) -> [JSONObject.Member] {
            value.map { [.init(name, .string($0))] } ?? []
        }
        func flag(_ name: Text, _ value: Bool) -> [JSONObject.Member] { value ? [.init(name, true)] : [] }
        return switch self {
        case .connect(let invitation, let destination):
            (.agentConnect, text("invitation", invitation) + text("destination", destination))
        case .list: (.agentList, [])
        case .show(let name): (.agentShow, text("connection", name))
        case .delete(let name, let isForced, let tellsAgent):
            (.agentDelete, text("connection", name) + flag("force", isForced) + flag("tell", tellsAgent))
        case .ping(let name): (.agentPing, text("connection", name))
        case .messages(let name, let uid, let pendingOnly):
            (.agentMessages, text("connection", name) + text("uid", uid) + flag("pending", pendingOnly))
        case .answer(let uid, let response, let name):
            (.agentAnswer, text("uid", uid) + text("response", response) + text("connection", name))
        }
    }

    /// Reads one member after another, and then refuses the request if it has further members.
    private struct Reader {
        var members: JSONObject

        mutating func text(_ name: Text, limit: Int = AgentRequest.nameLimit) throws(ControlRefusal) -> Text {
            guard let text = try textIfPresent(name, limit: limit) else {
                throw ControlRefusal("the request names no \(name)", remedy: Self.remedy)
            }
            return text
        }

        mutating func textIfPresent(
            _ name: Text, limit: Int = AgentRequest.nameLimit
        ) throws(ControlRefusal) -> Text? {
            guard let value = members[name] else { return nil }
            members[name] = nil
            guard let text = value.string, (1...limit).contains(text.utf8.count) else {
                throw ControlRefusal("\(name) is not a text of 1 to \(limit) bytes", remedy: Self.remedy)
            }
            return text
        }

        mutating func flag(_ name: Text) throws(ControlRefusal) -> Bool {
            guard let value = members[name] else { return false }
            members[name] = nil
            guard let flag = value.bool else {
                throw ControlRefusal("\(name) is neither true nor false", remedy: Self.remedy)
            }
            return flag
        }

        func end() throws(ControlRefusal) {
            guard members.isEmpty else {
                throw ControlRefusal("the request has an unknown member", remedy: Self.remedy)
            }
        }

        private static let remedy = "use a program of the service's version: gatehouse agent --help"
    }
}
