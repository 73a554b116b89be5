package import Encoding

/// A request to the running service over the control socket.
///
/// A request is one line, `{"request":"status"}`, with further members if it takes any. A new request needs a
/// case here, and a handler in the ``ControlDesk``.
package enum ControlRequest: String, CaseIterable, Sendable {
    /// The status of the gate: ``StatusDesk``.
    case status
    /// The status of the door: ``DoorDesk``, which also answers the next three.
    case doorStatus = "door-status"
    /// Lock the gate down.
    case doorLock = "door-lock"
    /// Free passage for a limited time.
    case doorFree = "door-free"
    /// End the order in force.
    case doorRelease = "door-release"
    /// End the program at the next moment without a visitor, so that the service manager starts it again:
    /// ``RenewalService``.
    case restart
    /// Accept an invitation: ``AgentRequest``, which also has the requests that follow.
    case agentConnect = "agent-connect"
    /// All connections to cloud agents.
    case agentList = "agent-list"
    /// One connection, with all that is known about it.
    case agentShow = "agent-show"
    /// Delete a connection.
    case agentDelete = "agent-delete"
    /// Ping an agent.
    case agentPing = "agent-ping"
    /// The messages that wait in the mailboxes.
    case agentMessages = "agent-messages"

    /// Whether the request changes something: only root and the service's own user may send such a request.
    package var changesSomething: Bool {
        switch self {
        case .status, .doorStatus, .agentList, .agentShow, .agentMessages: false
        case .restart, .doorLock, .doorFree, .doorRelease, .agentConnect, .agentDelete, .agentPing: true
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
            throw ControlRefusal("this is no request", remedy: "send one line: {\"request\":\"status\"}")
        }
        guard let request = allCases.first(where: { Text($0.rawValue) == name }) else {
            throw ControlRefusal(
                "the service does not know this request", remedy: "use the program of the service's version")
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
    /// The fault.
    package let message: String
    /// The remedy.
    package let remedy: String?

    /// Creates a refusal with its remedy.
    package init(_ message: String, remedy: String?) {
        (self.message, self.remedy) = (message, remedy)
    }
}
