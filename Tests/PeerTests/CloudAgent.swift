import Encoding
import Foundation
import TestKit

/// A real Aries agent: `Tests/Peers/acapy/agent`.
final class CloudAgent: Sendable {
    let journal: Journal
    private let child: Child

    /// Passes `options` to the agent unchanged; plugins are searched for in `deploy/acapy` and next to the
    /// agent's script.
    init(version: String, _ place: Workplace, options: [String] = []) throws {
        // Any Python can run the script; the one of the agent's environment certainly exists.
        let python = try Workplace.requiredEnvironment("acapy-\(version)", "bin/python")
        let script = Workplace.peers.appendingPathComponent("acapy/agent").path
        let plugins = Vectors.repository.appendingPathComponent("deploy/acapy").path
        child = try Child(
            "/usr/bin/env",
            [
                "PYTHONPATH=\(plugins):\(Workplace.peers.appendingPathComponent("acapy").path)",
                "PYTHONDONTWRITEBYTECODE=1", python, "-B", script, version, place.path("agent"),
            ]
                + options, output: place.path("agent.jsonl"))
        journal = Journal(place.path("agent.jsonl"))
    }

    /// Sends a command and waits for the reply.
    @discardableResult
    func command(_ line: String) async throws -> JSON {
        let position = journal.position
        try child.send(line)
        let name = Text(String(line.prefix { $0 != " " }))
        let reply = try await journal.wait(from: position, within: .seconds(100), for: "reply to \(line)") {
            $0["reply"]?.string == name
        }.line
        if let error = reply["error"]?.string { throw PeerFailure("the agent's \(line): \(error)") }
        return reply
    }

    /// A basic message as the agent's controller receives it.
    struct Message: Equatable {
        let id: Text?
        let content: JSON
    }

    /// Returns the reports that have arrived, one for each message id, in the order of arrival; repetitions
    /// must be identical.
    func reports() throws -> [Message] {
        var messages: [Message] = []
        for line in journal.lines where line["webhook"]?.string == "basicmessages" {
            guard let text = line["body"]?["content"]?.string, let content = try? JSON.parse(text.string) else {
                throw PeerFailure("a basic message that is no JSON: \(line.compactText)")
            }
            let message = Message(id: line["body"]?["message_id"]?.string, content: content)
            if let first = messages.first(where: { $0.id == message.id }) {
                guard first == message else { throw PeerFailure("two contents under the id \(message.id ?? "-")") }
            } else {
                messages.append(message)
            }
        }
        return messages
    }

    /// Waits until `count` different reports have arrived, and a moment longer in case there is one too many.
    func reports(count: Int, within limit: Duration = .seconds(30)) async throws -> [Message] {
        let until = ContinuousClock.now + limit
        while true {
            let isLate = ContinuousClock.now >= until  // read first: a stalled test is not a stalled agent
            let arrived = try reports().count
            if arrived >= count { break }
            if isLate { throw PeerFailure("\(arrived) of \(count) reports within \(limit)") }
            try await Task.sleep(for: .milliseconds(50))
        }
        try await Task.sleep(for: .milliseconds(500))
        return try reports()
    }

    func stop() async throws {
        try await command("kill")  // it has nothing left to lose, and an orderly end takes longer
        child.closeInput()
        _ = try await child.wait(within: .seconds(25))
    }
}
