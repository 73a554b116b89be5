import Aries
import Credentials
import DIDComm
import Encoding
import Foundation
import Ledger
import Simulation
import Store
import Synchronization
import TestKit
import Testing

/// Real agents that reach the kiosk through an agency of either dialect: no real one can run here, so the agency is ours, over HTTP.
@Suite(.serialized) struct AgencyPeerTests {
    private static let version = Workplace.environment("acapy-1.7.0", "") == nil ? "0.12.8" : "1.7.0"

    @Test(.timeLimit(.minutes(5)), arguments: AgencyDialect.allCases)
    func whatTheAgentStartsArrivesByTheAgency(dialect: AgencyDialect) async throws {
        let place = try Workplace("agency-\(dialect)")
        let agency = try AgencyServer(dialect)
        let agent = try CloudAgent(version: Self.version, place)
        try await agent.command("start")
        let invitation = try await agent.invitation(place)
        let more = """
            mailbox = "agency"
            [agency]
            dialect = "\(dialect)"
            url = "\(agency.url)"
            did = "\(agency.party.did)"
            verkey = "\(agency.party.key)"
            poll = "1s"
            """
        agency.change { $0.lostAnswers = 1 }
        let began = ContinuousClock.now
        var gate = try await DeliveryGate(place, invitation, more: more)
        try await gate.record(20)
        #expect(try await agent.reports(count: 20).count == 20)
        try await gate.wait("confirmed") { [gate] in await gate.cursor().confirmed == gate.end() }
        print("agency: ACA-Py \(Self.version), \(dialect): 20 reports confirmed after \(ContinuousClock.now - began)")
        let connections = try await agent.command("connections")["results"]?.array ?? []
        let live = connections.filter {
            ["active", "completed", "response"].contains($0["state"]?.string) && $0["invitation_mode"] != "multi"
        }
        let connection = try #require(live.last?["connection_id"]?.string?.string)

        @Sendable func heard() throws -> Int {
            let log = (try? String(contentsOfFile: place.path("log.jsonl"), encoding: .utf8)) ?? ""
            return log.split(separator: "\n").count { $0.contains("bytes from the agent") }
        }
        agency.change {
            $0.reorders = true
            $0.duplicates = 5
            $0.errors = 2
            $0.lostAnswers = 2
        }
        for number in 0..<5 { try await agent.command("message \(connection) hello-\(number)") }
        try await gate.wait("heard") { try heard() == 5 }

        // While the kiosk is off they wait.
        await gate.stop()
        for number in 0..<3 { try await agent.command("message \(connection) later-\(number)") }
        gate = try await DeliveryGate(place, invitation, more: more)
        try await gate.wait("heard") { try heard() == 8 }
        try await gate.wait("released") { agency.statuses == ["MS-106"] }
        #expect(try heard() == 8)
        #expect(gate.faults.isEmpty)
        try await agent.command("hangup \(connection)")
        try await gate.wait("told ended", within: .seconds(60)) { [gate] in gate.faults.contains(.agentEnded) }
        await gate.stop()
        try await agent.stop()
        place.remove()
    }
}

/// A virtual agency behind HTTP.
private final class AgencyServer: Sendable {
    private let agency: Agency
    private let server: LoopbackServer
    let party: AgencyParty

    /// The value and its lock, for the server's closure.
    private final class Agency: Sendable {
        let value: Mutex<VirtualAgency>
        init(_ value: consuming sending VirtualAgency) { self.value = Mutex(value) }
    }

    init(_ dialect: AgencyDialect) throws {
        func secret() -> Secret { Secret((0..<32).map { _ in UInt8.random(in: 0...255) }) }
        guard let random = RandomStream(seed: secret()),
            let value = VirtualAgency(dialect, url: "", seed: secret(), random: random)
        else { throw PeerFailure("libsodium is not usable") }
        party = value.party
        let agency = Agency(value)
        self.agency = agency
        let type = dialect == .node ? "application/ssi-agent-wire" : "application/octet-stream"
        server = try LoopbackServer { request in
            let answer = agency.value.withLock {
                request.target == "/agency" ? $0.information() : $0.handle(request.body)
            }
            guard let status = answer.status else { return nil }
            let isJSON = status != 200 || request.target == "/agency"
            return LoopbackServer.Answer(
                status, [("content-type", isJSON ? "application/json" : type)], answer.body)
        }
    }

    var url: String { server.url }
    var statuses: Set<Text> { agency.value.withLock { Set($0.messages.map(\.status)) } }
    func change(_ body: (inout VirtualAgencyFaults) -> Void) { agency.value.withLock { body(&$0.faults) } }
}
