package import Encoding

/// A request to the running service over the control socket.
///
/// A request is one line, `{"request":"status"}`. If it has parameters, they are further members of the object. A new
/// request needs a case of this type and a handler in the ``ControlRouter``.
package enum ControlRequest: String, CaseIterable, Sendable {
    /// Asks for the status of the gate and of its services.
    case status
    /// Asks for the status of the door. The following three requests are orders for the door.
    case doorStatus = "door-status"
    /// Orders a lock-down.
    case doorLock = "door-lock"
    /// Orders free passage for a limited time.
    case doorFree = "door-free"
    /// Ends the order for the door that is in force.
    case doorRelease = "door-release"
    /// Asks the program to end at the next moment without a visitor. The service manager then starts it again.
    case restart
    /// Asks the gate to follow an invitation. ``AgentRequest`` describes the members of this request and of those
    /// below.
    case agentConnect = "agent-connect"
    /// Asks for all connections to cloud agents.
    case agentList = "agent-list"
    /// Asks for everything about one connection to a cloud agent.
    case agentShow = "agent-show"
    /// Asks the gate to delete a connection to a cloud agent.
    case agentDelete = "agent-delete"
    /// Asks the gate to ping a cloud agent.
    case agentPing = "agent-ping"
    /// Asks for the messages that agents have sent on their own initiative.
    case agentMessages = "agent-messages"
    /// Asks the gate to answer a question of an agent.
    case agentAnswer = "agent-answer"

    /// Whether the request changes something. Only root and the service's own user may send such a request.
    var changesSomething: Bool {
        switch self {
        case .status, .doorStatus, .agentList, .agentShow, .agentMessages: false
        case .restart, .doorLock, .doorFree, .doorRelease, .agentConnect, .agentDelete, .agentPing, .agentAnswer:
            true
        }
    }

    /// Whether the request is about connections to cloud agents.
    var isAboutAgents: Bool {
        switch self {
        case .status, .doorStatus, .doorLock, .doorFree, .doorRelease, .restart: false
        case .agentConnect, .agentList, .agentShow, .agentDelete, .agentPing, .agentMessages, .agentAnswer: true
        }
    }

    /// The limits for a request. Its JSON is not nested, and an invitation in it is a text.
    private static let limits: JSON.Limits = {
        var limits = JSON.Limits()
        (limits.depth, limits.bytes, limits.values) = (4, 144 * 1024, 64)
        return limits
    }()

    /// Reads a line. Returns the request, and its members except `request`.
    package static func read(_ line: [UInt8]) throws(ControlRefusal) -> (request: ControlRequest, members: JSONObject) {
        guard var members = (try? JSON.parse(line, limits: limits))?.object, let name = members["request"]?.string
        else {
            throw ControlRefusal("this is not a request", remedy: "send one line: {\"request\":\"status\"}")
        }
        guard let request = allCases.first(where: { Text($0.rawValue) == name }) else {
            throw ControlRefusal(
                "the service does not know this request", remedy: "use a program of the service's version")
        }
        members["request"] = nil
        return (request, members)
    }

    /// Returns the line of the request with these members, without its line end.
    package func line(_ members: [JSONObject.Member]) -> [UInt8] {
        JSON.object(JSONObject([.init("request", .text(rawValue))] + members)).compactBytes
    }
}

/// The reason why the service refuses a request.
package struct ControlRefusal: Error, Hashable, Sendable {
    /// The reason why the request was refused.
    package let message: String
    /// The remedy in plain words; nil if there is none.
    package let remedy: String?

    /// Creates a refusal with its reason and its remedy.
    package init(_ message: String, remedy: String?) {
        (self.message, self.remedy) = (message, remedy)
    }
}
