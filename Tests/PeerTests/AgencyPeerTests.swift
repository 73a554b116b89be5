import DIDComm
import Encoding
import Foundation
import Glibc
import HTTPTransport
import Ledger
import Mailboxes
import Reasons
import Store
import Synchronization
import TestKit
import Testing
import VirtualKit

/// Real agents that reach the kiosk through an agency of either dialect. No real agency can run here, so the
/// test plays one over HTTP.
@Suite(.serialized, .tags(.realTime, .agents)) struct AgencyPeerTests {
    @Test(.timeLimit(.minutes(5)), arguments: AgencyDialect.allCases, CloudAgent.versions)
    func aMessageStartedByTheAgentArrivesByTheAgency(dialect: AgencyDialect, version: String) async throws {
        try await withAgent("agency-\(dialect)", version) { scene in
            let agent = scene.agent
            let agency = try AgencyServer(dialect)
            let invitation = try await scene.invite()
            let more = """
                mailbox = "agency"
                [agency]
                dialect = "\(dialect)"
                url = "\(agency.url)"
                did = "\(agency.party.did)"
                verkey = "\(agency.party.key)"
                poll = "1s"
                """
            agency.change(.kiosk) { $0.lostAnswers = 1 }
            let began = ContinuousClock.now
            var gate = try await scene.gate(invitation, more: more)
            try await gate.record(20)
            #expect(try await agent.reports(count: 20).count == 20)
            try await gate.waitForAll()
            print("agency: ACA-Py \(version), \(dialect): 20 reports confirmed after \(ContinuousClock.now - began)")
            #expect(agency.left(.kiosk).lostAnswers == 0)
            let connection = try #require(await agent.connections().last)

            agency.change(.kiosk) {
                $0.reorders = true
                ($0.duplicates, $0.errors, $0.lostAnswers) = (5, 2, 2)
            }
            // The agent repeats a post after ten seconds when it received an error or no answer.
            agency.change(.agent) { ($0.errors, $0.lostAnswers) = (1, 1) }
            for number in 0..<5 { try await agent.command("message \(connection) hello-\(number)") }
            try await gate.wait("heard", within: .seconds(90)) { [gate] in gate.said("bytes from the agent") == 5 }
            let left = agency.left(.kiosk)
            #expect(left.errors == 0 && left.lostAnswers == 0 && left.duplicates < 5)
            #expect(agency.left(.agent).errors == 0 && agency.left(.agent).lostAnswers == 0)

            // While the kiosk is off, the messages wait at the agency. Afterwards the kiosk polls once an
            // hour and at each wake-up of the agency. The agency would deliver again a message that the kiosk
            // received but did not release.
            try await gate.wait("released") { agency.statuses == ["MS-106"] }
            await gate.stop()
            for number in 0..<3 { try await agent.command("message \(connection) later-\(number)") }
            let place = try BoundPort(isShared: true)
            defer { close(place.descriptor) }
            let webhook = """
                \(more.replacing("poll = \"1s\"", with: "poll = \"1h\""))
                webhook = "http://127.0.0.1:\(place.number)/wake/1"
                webhookListen = "127.0.0.1:\(place.number)"
                """
            gate = try await scene.gate(invitation, more: webhook)
            try await gate.wait("heard") { [gate] in gate.said("bytes from the agent") == 8 }
            try await gate.wait("registered") { agency.webhooks == ["http://127.0.0.1:\(place.number)/wake/1"] }
            try await gate.wait("listening") { [gate] in gate.said("the agency can notify this box") == 1 }
            for number in 8..<12 {
                let sent = ContinuousClock.now
                try await agent.command("message \(connection) woken-\(number)")
                try await gate.wait("heard", within: .seconds(60)) { [gate] in
                    gate.said("bytes from the agent") == number + 1
                }
                print("agency: ACA-Py \(version), \(dialect): heard by webhook after \(ContinuousClock.now - sent)")
            }
            try await gate.wait("released") { agency.statuses == ["MS-106"] }
            #expect(gate.said("bytes from the agent") == 12)
            #expect(gate.faults.isEmpty)
            try await agent.command("hangup \(connection)")
            try await gate.wait("told ended", within: .seconds(60)) { [gate] in gate.faults.contains(.agentEnded) }
            withExtendedLifetime(agency) {}
        }
    }
}

/// A virtual agency with an HTTP server, which posts to webhooks.
private final class AgencyServer: Sendable {
    private let agency: Agency
    private let server: LoopbackServer
    let party: AgencyParty

    /// The side that sends a request. Each side has its own faults, used up only by its own requests.
    enum Side: CaseIterable {
        case kiosk, agent

        /// Recognises an ACA-Py by the user agent of its HTTP library.
        init(_ request: LoopbackServer.Request) {
            self = request.headers["user-agent"]?.contains("aiohttp") == true ? .agent : .kiosk
        }
    }

    /// The virtual agency and its lock, for the server's closure.
    private final class Agency: Sendable {
        private struct State: ~Copyable {
            var value: VirtualAgency
            var faults: [Side: VirtualAgencyFaults] = [:]
            /// The number of wake-ups that were posted.
            var posted = 0
        }

        private let state: Mutex<State>

        init(_ value: consuming sending VirtualAgency) { state = Mutex(State(value: value)) }

        /// Carries out a request of `side`, with the faults of that side.
        func carryOut<Value: Sendable>(_ side: Side, _ body: (inout VirtualAgency) -> Value) -> Value {
            state.withLock { state in
                state.value.faults = state.faults[side] ?? .init()
                defer { state.faults[side] = state.value.faults }
                return body(&state.value)
            }
        }

        func left(_ side: Side) -> VirtualAgencyFaults { state.withLock { $0.faults[side] ?? .init() } }

        func change(_ side: Side, _ body: (inout VirtualAgencyFaults) -> Void) {
            state.withLock { body(&$0.faults[side, default: .init()]) }
        }

        var statuses: Set<Text> { state.withLock { Set($0.value.messages.map(\.status)) } }
        var webhooks: [Text] { state.withLock { $0.value.webhooks } }

        /// Removes and returns the wake-ups that are to be posted to webhooks.
        func takeWakeUps() -> [(url: Text, body: [UInt8])] {
            state.withLock { state in
                defer { state.posted = state.value.wakeUps.count }
                return Array(state.value.wakeUps.dropFirst(state.posted))
            }
        }
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
            let answer = agency.carryOut(Side(request)) {
                request.target == "/agency" ? $0.information() : $0.handle(request.body)
            }
            for wakeUp in agency.takeWakeUps() {
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
    var statuses: Set<Text> { agency.statuses }
    var webhooks: [Text] { agency.webhooks }

    /// Changes the faults of that side.
    func change(_ side: Side, _ body: (inout VirtualAgencyFaults) -> Void) { agency.change(side, body) }

    /// Returns the faults of that side that have not happened yet.
    func left(_ side: Side) -> VirtualAgencyFaults { agency.left(side) }
}
