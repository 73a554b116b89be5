package import Encoding

/// The handlers of control requests.
///
/// An answer is one line: `{"answer":…}`, or `{"error":"…","remedy":"…"}` for a refusal.
package struct ControlRouter: Sendable {
    /// Returns the answer to a request with the given members. Must return soon, because a client is disconnected
    /// after `ControlServer.Limits.time`.
    package typealias Answer = @Sendable (JSONObject) async throws(ControlRefusal) -> JSON

    /// The time limit for one part of the gate that must contribute to an answer.
    package static let partLimit: Duration = .seconds(1)

    private var answers: [ControlRequest: Answer] = [:]

    /// Creates a router without handlers.
    package init() {}

    /// Makes `answer` the handler of `request`.
    package mutating func take(_ request: ControlRequest, _ answer: @escaping Answer) {
        answers[request] = answer
    }

    /// Returns the answer to a line, both without line ends. `mayChange`: the client is permitted to send requests
    /// that change something.
    package func answer(_ line: [UInt8], mayChange: Bool = true) async -> [UInt8] {
        do throws(ControlRefusal) {
            let (request, members) = try ControlRequest.read(line)
            guard mayChange || !request.changesSomething else {
                throw ControlRefusal(
                    "only root and the service's user may make changes", remedy: "use sudo")
            }
            guard let answer = answers[request] else {
                throw ControlRefusal(
                    "the service cannot answer yet: it is waiting for its ledger",
                    remedy: "see the reason: gatehouse status")
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
