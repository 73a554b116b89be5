import Credentials
import Encoding
import Foundation
import Ledger
import Reasons
import Store
import Synchronization
import TestKit
import Testing

/// Agents that move to another address, and agents that never stop sending requests.
@Suite(.serialized, .tags(.realTime, .agents)) struct TroubleTests {
    /// The agent's address in its connection becomes unreachable. The gate reports that, every report waits,
    /// and the invitation from the new address gets the rest.
    @Test(.timeLimit(.minutes(4)), arguments: CloudAgent.versions) func anAgentThatMovedIsFollowedByItsInvitation(
        version: String
    ) async throws {
        try await withAgent("moved", version) { scene in
            let agent = scene.agent
            let gate = try await scene.gate()
            try await gate.record(20)
            #expect(try await agent.reports(count: 20).count == 20)
            try await gate.waitForAll()

            try await agent.command("kill")  // it has nothing left to lose
            try await agent.command("move")
            try await agent.command("start")
            let moved = ContinuousClock.now
            try await gate.record(20)
            try await gate.wait("told unreachable", within: .seconds(60)) { gate.faults.contains(.agentUnreachable) }
            print("delivery: ACA-Py \(version), moved: told after \(ContinuousClock.now - moved)")
            #expect(await gate.cursor().confirmed == 40, "two records a visit, and nothing of the later ones")

            try await scene.invite()
            let reports = try await agent.reports(count: 40, within: .seconds(60))
            #expect(Set(reports.map(\.id)).count == 40 && reports.count == 40)
            try await gate.waitForAll()
            #expect(gate.faults.isEmpty)
        }
    }

    /// A regression test: 404 posts a second were seen, and no report was sent. Reports take precedence, and
    /// answers are limited to one a second after the first sixteen.
    @Test(.timeLimit(.minutes(4)), arguments: CloudAgent.versions)
    func anAgentThatAnswersWithQuestionsIsHeldOff(version: String) async throws {
        try await withAgent("hostile", version, options: ["--plugin", "hostile"]) { scene in
            let (place, agent) = (scene.place, scene.agent)
            let gate = try await scene.gate()
            try await gate.record(100)
            #expect(try await agent.reports(count: 100, within: .seconds(60)).count == 100)
            try await gate.waitForAll(within: .seconds(60))

            try await heldOff(gate, place)
            let (posts, written, seconds) = (try posts(place), try written(), PeerRun.isThorough ? 10 : 5)
            try await Task.sleep(for: .seconds(seconds))
            let (later, grown) = (try self.posts(place) - posts, try self.written() - written)
            print("delivery: ACA-Py \(version) asks back: \(later) posts and \(grown) bytes written in \(seconds) s")
            #expect((1...seconds + 4).contains(later), "one a second, and it still is answered")
            #expect((1..<seconds * 100_000).contains(grown))
        }
    }

    /// Waits until the messages that may be sent at once have been sent: from then on at most two posts
    /// arrive in a second.
    private func heldOff(_ gate: DeliveryGate, _ place: Workplace) async throws {
        let last = Mutex(try posts(place))
        try await gate.wait("held off") {
            try await Task.sleep(for: .seconds(1))
            let now = try posts(place)
            return last.withLock { last in
                defer { last = now }
                return now - last <= 2
            }
        }
    }

    /// Returns the number of messages in the agent's log.
    private func posts(_ place: Workplace) throws -> Int {
        let log = try String(contentsOf: URL(fileURLWithPath: place.path("agent/log")), encoding: .utf8)
        return log.split(separator: "\n").count { $0.contains("\"POST / HTTP") }
    }

    /// Returns the bytes that this process has written into files of any kind: a folder in memory would not
    /// count as a disk.
    private func written() throws -> Int {
        let io = try String(contentsOf: URL(fileURLWithPath: "/proc/self/io"), encoding: .utf8)
        let line = try #require(io.split(separator: "\n").first { $0.hasPrefix("wchar: ") }, "\(io)")
        return try #require(Int(line.dropFirst("wchar: ".count)), "\(line)")
    }
}
