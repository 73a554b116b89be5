package import Encoding

/// A request to the running service over the control socket.
///
/// A request is one line, `{"request":"status"}`, with further members if the request has parameters. A new
/// request needs a case in this enumeration, and a handler in the ``ControlRouter``.
package enum ControlRequest: String, CaseIterable, Sendable {
    /// Query the status of the gate and of its services.
    case status
    /// Query the status of the door. The following three requests are orders to the door.
    case doorStatus = "door-status"
    /// Lock the gate down.
    case doorLock = "door-lock"
    /// Give free passage for a limited time.
    case doorFree = "door-free"
    /// End the operator's order for the door that is in force.
    case doorRelease = "door-release"
    /// End the program at the next moment without a visitor, so that the service manager starts it
    /// again.
    case restart
    /// Accept an invitation. ``AgentRequest`` describes this request and the requests that follow it.
    case agentConnect = "agent-connect"
    /// List all connections to cloud agents.
    case agentList = "agent-list"
    /// Show one connection to a cloud agent, with all that the service knows about it.
    case agentShow = "agent-show"
    /// Delete a connection to a cloud agent.
    case agentDelete = "agent-delete"
    /// Ping a cloud agent.
    case agentPing = "agent-ping"
    /// List the messages that agents sent on their own initiative.
    case agentMessages = "agent-messages"
    /// Answer a question of an agent.
    case agentAnswer = "agent-answer"

    /// Whether the request changes something: only root and the service's own user may send such a request.
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

    /// Requests are flat JSON; an invitation is a text in them.
    private static let limits: JSON.Limits = {
        var limits = JSON.Limits()
        (limits.depth, limits.bytes, limits.values) = (4, 144 * 1024, 64)
        return limits
    }()

    /// Reads the request in a line, and its further members.
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

    /// Returns the line that makes the request, without its line end.
    package func line(_ members: [JSONObject.Member]) -> [UInt8] {
        JSON.object(JSONObject([.init("request", .text(rawValue))] + members)).compactBytes
    }
}

/// The reason for which the service does not answer a request.
package struct ControlRefusal: Error, Hashable, Sendable {
    /// The reason why the request was refused.
    package let message: String
    /// The remedy; nil if there is none.
    package let remedy: String?

    /// Creates a refusal with its reason and its remedy.
    package init(_ message: String, remedy: String?) {
        (self.message, self.remedy) = (message, remedy)
    }
}
