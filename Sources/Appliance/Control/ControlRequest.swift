package import Encoding

/// What can be asked of the running service over the control socket.
///
/// A request is one line, `{"request":"status"}`, with further members where it takes some. To add one: a case here, and what
/// answers it in ``ControlService``.
package enum ControlRequest: String, CaseIterable, Sendable {
    /// How the box is: ``StatusDesk``.
    case status
}

/// Why the service does not answer a request.
package struct ControlRefusal: Error, Sendable {
    /// What is wrong.
    package let message: String
    /// What to do about it.
    package let remedy: String?

    /// A refusal with its remedy.
    package init(_ message: String, remedy: String?) {
        (self.message, self.remedy) = (message, remedy)
    }
}

/// Who answers which request.
///
/// An answer is one line too: `{"answer":…}` or `{"error":"…","remedy":"…"}`.
package struct ControlDesk: Sendable {
    /// Answers a request, given as it came. Must end in a time of its own: nobody waits longer than
    /// `ControlServer.Limits.time`.
    package typealias Answer = @Sendable (JSONObject) async throws(ControlRefusal) -> JSON

    /// Requests are small and flat.
    private static let limits: JSON.Limits = {
        var limits = JSON.Limits()
        (limits.depth, limits.bytes, limits.values) = (4, 4096, 64)
        return limits
    }()

    private var answers: [ControlRequest: Answer] = [:]

    /// Nobody answers anything yet.
    package init() {}

    /// From now on `answer` is responsible for that request.
    package mutating func take(_ request: ControlRequest, _ answer: @escaping Answer) {
        answers[request] = answer
    }

    /// The answer to a line, both without line ends.
    package func answer(_ line: [UInt8]) async -> [UInt8] {
        do throws(ControlRefusal) {
            let members = (try? JSON.parse(line, limits: Self.limits))?.object
            guard let members, let name = members["request"]?.string else {
                throw ControlRefusal("this is no request", remedy: "send one line: {\"request\":\"status\"}")
            }
            guard let request = ControlRequest(rawValue: name.string), let answer = answers[request] else {
                throw ControlRefusal(
                    "the service does not know this request", remedy: "use the program of the service's version")
            }
            let result: JSON = ["answer": try await answer(members)]
            return result.compactBytes
        } catch {
            var result: JSONObject = ["error": .text(error.message)]
            if let remedy = error.remedy { _ = result.appendIfNew(.init("remedy", .text(remedy))) }
            return JSON.object(result).compactBytes
        }
    }
}
