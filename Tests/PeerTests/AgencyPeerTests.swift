import Aries
import Credentials
import DIDComm
import Encoding
import Foundation
import HTTPTransport
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

        // While the kiosk is off they wait. Then it looks once an hour, and when the agency says so.
        await gate.stop()
        for number in 0..<3 { try await agent.command("message \(connection) later-\(number)") }
        let port = try freePort()
        let webhook = """
            \(more.replacing("poll = \"1s\"", with: "poll = \"1h\""))
            webhook = "http://127.0.0.1:\(port)/wake/1"
            webhookListen = "127.0.0.1:\(port)"
            """
        gate = try await DeliveryGate(place, invitation, more: webhook)
        try await gate.wait("heard") { try heard() == 8 }
        try await gate.wait("registered") { agency.webhooks == ["http://127.0.0.1:\(port)/wake/1"] }
        for number in 8..<12 {
            let sent = ContinuousClock.now
            try await agent.command("message \(connection) woken-\(number)")
            try await gate.wait("heard", within: .seconds(60)) { try heard() == number + 1 }
            print("agency: ACA-Py \(Self.version), \(dialect): heard by webhook after \(ContinuousClock.now - sent)")
        }
        try await gate.wait("released") { agency.statuses == ["MS-106"] }
        #expect(try heard() == 12)
        #expect(gate.faults.isEmpty)
        try await agent.command("hangup \(connection)")
        try await gate.wait("told ended", within: .seconds(60)) { [gate] in gate.faults.contains(.agentEnded) }
        await gate.stop()
        try await agent.stop()
        place.remove()
    }
}

/// A port on which nothing listens.
private func freePort() throws -> Int { try LoopbackServer { _ in nil }.port }

/// A virtual agency behind HTTP, which posts to webhooks.
private final class AgencyServer: Sendable {
    private let agency: Agency
    private let server: LoopbackServer
    let party: AgencyParty

    /// The value and its lock, for the server's closure.
    private final class Agency: Sendable {
        let value: Mutex<VirtualAgency>
        private let wakeUps = Atomic(0)
        init(_ value: consuming sending VirtualAgency) { self.value = Mutex(value) }
        /// How many wake-ups are posted already, of which there are so many now.
        func posted(_ count: Int) -> Int { wakeUps.exchange(count, ordering: .relaxed) }
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
            for wakeUp in agency.value.withLock({ $0.wakeUps.dropFirst(agency.posted($0.wakeUps.count)) }) {
                Task {
                    var settings = HTTPExchange.Settings()
                    settings.allowsPlainHTTP = true
                    try await HTTPExchange.withExchange(settings) {
                        _ = try await $0.exchange(wakeUp.body, with: wakeUp.url.string, as: "application/json")
                    }
                }
            }
            guard let status = answer.status else { return nil }
            let isJSON = status != 200 || request.target == "/agency"
            return LoopbackServer.Answer(
                status, [("content-type", isJSON ? "application/json" : type)], answer.body)
        }
    }

    var url: String { server.url }
    var statuses: Set<Text> { agency.value.withLock { Set($0.messages.map(\.status)) } }
    var webhooks: [Text] { agency.value.withLock { $0.webhooks } }
    func change(_ body: (inout VirtualAgencyFaults) -> Void) { agency.value.withLock { body(&$0.faults) } }
}
