package import Encoding

/// What can be asked of the running service over the control socket.
///
/// A request is one line, `{"request":"status"}`, with further members where it takes some. To add one: a case here, and what
/// answers it in ``ControlService``.
package enum ControlRequest: String, CaseIterable, Sendable {
    /// How the box is: ``StatusDesk``.
    case status
    /// How the door is: ``DoorDesk``, as those that follow.
    case doorStatus = "door-status"
    /// Lock the gate down.
    case doorLock = "door-lock"
    /// Free passage for a while.
    case doorFree = "door-free"
    /// End what was ordered.
    case doorRelease = "door-release"
    /// End in a moment without a visitor, so that the service manager starts the program anew: ``RenewalService``.
    case restart
    /// Accept an invitation: ``AgentRequest``, as those that follow.
    case agentConnect = "agent-connect"
    /// All connections to cloud agents.
    case agentList = "agent-list"
    /// One of them, with all that is known.
    case agentShow = "agent-show"
    /// Delete a connection.
    case agentDelete = "agent-delete"
    /// Ask an agent for a sign of life.
    case agentPing = "agent-ping"
    /// What waits in the mailboxes.
    case agentMessages = "agent-messages"

    /// Whether it changes something: only root and the service's own user may ask for that.
    package var changesSomething: Bool {
        switch self {
        case .status, .doorStatus, .agentList, .agentShow, .agentMessages: false
        case .restart, .doorLock, .doorFree, .doorRelease, .agentConnect, .agentDelete, .agentPing: true
        }
    }

    /// Requests are flat; an invitation is a text in them.
    private static let limits: JSON.Limits = {
        var limits = JSON.Limits()
        (limits.depth, limits.bytes, limits.values) = (4, 144 * 1024, 64)
        return limits
    }()

    /// The request in a line, and its further members.
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

    /// The line that asks, without its line end.
    package func line(_ members: [JSONObject.Member]) -> [UInt8] {
        JSON.object(JSONObject([.init("request", .text(rawValue))] + members)).compactBytes
    }
}

/// Why the service does not answer a request.
package struct ControlRefusal: Error, Hashable, Sendable {
    /// What is wrong.
    package let message: String
    /// What to do about it.
    package let remedy: String?

    /// A refusal with its remedy.
    package init(_ message: String, remedy: String?) {
        (self.message, self.remedy) = (message, remedy)
    }
}
