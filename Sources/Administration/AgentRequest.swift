package import Encoding

/// A request about connections to cloud agents, in the form of the members of a ``ControlRequest``. This type
/// reads and writes all forms.
package enum AgentRequest: Hashable, Sendable {
    /// Accept the invitation in the text `invitation` for `destination`; nil: for the primary destination.
    case connect(invitation: Text, destination: Text?)
    /// Show all connections.
    case list
    /// Show one connection: the connection with the given ID, or the connection to the destination of the
    /// given name.
    case show(Text)
    /// Delete a connection. `isForced`: even if its destination still lacks entries. `tellsAgent`: the
    /// service first sends its agent a message about the deletion.
    case delete(Text, isForced: Bool, tellsAgent: Bool)
    /// Ping the agent of a connection.
    case ping(Text)
    /// Show the waiting messages. `of`: the connection; nil: all connections. `uid`: the ID of the message;
    /// nil: any. `pendingOnly`: only pending messages, or all.
    case messages(of: Text?, uid: Text?, pendingOnly: Bool)
    /// Answer the question with the ID `uid` with `response`. `of`: the connection that the question came over; nil:
    /// any.
    case answer(uid: Text, response: Text, of: Text?)

    /// The longest name or ID in bytes.
    package static let nameLimit = 256
    /// The longest answer to a question in bytes.
    private static let responseLimit = 4096
    /// The longest text of an invitation in bytes.
    package static let invitationLimit = 64 * 1024

    /// The requests that this type describes.
    package static let requests = ControlRequest.allCases.filter(\.isAboutAgents)

    /// Reads the members of a request; nil for a request that is not about connections.
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

    /// The control request and its JSON members, as the client sends them.
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

    /// Takes one member after another, and refuses a request with members that were not taken.
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
