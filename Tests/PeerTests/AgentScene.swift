import Encoding
import Foundation
import TestKit

/// A real agent in a folder of its own, and the gates that a test connects to it.
struct AgentScene {
    let place: Workplace
    let agent: CloudAgent
    fileprivate let leftovers: Leftovers

    /// Creates a gate with a multi-use invitation of the agent, or with the invitation in `file`; `more` are
    /// further lines of `[agent]`.
    func gate(
        _ file: String? = nil, copy: String? = nil, more: String = "", pace: GatePace = .usual()
    ) async throws -> DeliveryGate {
        var invitation = file
        if invitation == nil { invitation = try await invite() }
        let gate = try await DeliveryGate(place, invitation ?? "", copy: copy, more: more, pace: pace)
        leftovers.add { await gate.stop() }
        return gate
    }

    /// Writes a new invitation into the file that the gate watches; returns its path.
    @discardableResult
    func invite(_ words: String = "") async throws -> String {
        try place.write("invitation", try await agent.invitation(words).url)
    }
}

/// Starts an agent and runs `body`, then ends the agent and its gates, also when `body` throws. In that case
/// the folder is kept.
func withAgent(
    _ name: String, _ version: String, options: [String] = [], _ body: (AgentScene) async throws -> Void
) async throws {
    // In memory: the test kills agents and tests no disk failure.
    let place = try Workplace("\(name)-\(version)", isInMemory: true)
    try await withAgent(place, version, options: options, body)
    place.remove()
}

private func withAgent(
    _ place: Workplace, _ version: String, options: [String], _ body: (AgentScene) async throws -> Void
) async throws {
    let agent = try CloudAgent(version: version, place, options: options)
    try await agent.command("start")
    try await Leftovers.ended { leftovers in
        try await body(AgentScene(place: place, agent: agent, leftovers: leftovers))
    }
    try await agent.stop()
}

/// Does the same with an agent that keeps ledgers in a PostgreSQL database.
func withKeeper(
    _ name: String, _ version: String, _ body: (AgentScene, Database) async throws -> Void
) async throws {
    guard Workplace.hasDatabase else { return print("skipped: no PostgreSQL (apt-get install postgresql)") }
    let place = try Workplace("\(name)-\(version)")
    let database = try Database(place)
    let url = try await database.command("start")["url"]?.string?.string ?? ""
    let options = ["--plugin", "verification_report", "--plugin-config-value", "verification_report.database=\(url)"]
    try await withAgent(place, version, options: options) { try await body($0, database) }
    try await database.stop()
    place.remove()
}

extension CloudAgent {
    /// The versions that are installed on this machine, the oldest first.
    private static let present = ["0.12.8"] + (Workplace.environment("acapy-1.7.0", "") == nil ? [] : ["1.7.0"])

    /// The versions that this run plays: the newest one; in a thorough run, all of them.
    static let versions = PeerRun.isThorough ? present : [newest]

    /// The newest version.
    static var newest: String { present[present.count - 1] }

    /// Whether this run includes `version`.
    static func plays(_ version: String) -> Bool { versions.contains(version) }

    /// Returns an invitation that the agent's script makes from these words: its URL, the content of the URL,
    /// and the thread of the attached request.
    func invitation(_ words: String = "") async throws -> (url: String, json: JSON, thread: Text?) {
        let reply = try await command("invite \(words)")
        let url = reply["url"]?.string?.string ?? ""
        let text = url.components(separatedBy: "oob=").last.flatMap { Base64.decodeAny($0) } ?? []
        return (url, try JSON.parse(text), reply["thread"]?.string)
    }

    /// Returns the agent's ids of its connections that have a peer, the oldest first. A multi-use invitation
    /// has a row of its own, which never becomes a connection.
    func connections() async throws -> [String] {
        let all = try await command("connections")["results"]?.array ?? []
        let live = all.filter {
            ["active", "completed", "response"].contains($0["state"]?.string) && $0["invitation_mode"] != "multi"
        }
        return live.sorted { ($0["created_at"]?.string?.string ?? "") < ($1["created_at"]?.string?.string ?? "") }
            .compactMap { $0["connection_id"]?.string?.string }
    }
}
