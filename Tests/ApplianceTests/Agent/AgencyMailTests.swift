import Aries
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

@testable import Appliance

/// An agency as the mailbox: what an agent says by itself arrives there, and the gate's driver, database and files do their part.
@Suite(.timeLimit(.minutes(3))) struct AgencyMailTests {
    /// A file with a token, which may come later.
    private final class TokenFile: Sendable {
        private let token = Mutex<[UInt8]?>(nil)
        func write(_ token: JSON) { self.token.withLock { $0 = token.compactBytes } }
        var content: [UInt8]? { token.withLock { $0 } }
    }

    /// The network: an agency, and an agent that says everything by it.
    private actor Network: MessageExchange {
        private var agency: VirtualAgency
        private var agent: VirtualAgent
        private(set) var mediaTypes: Set<String> = []

        init(_ dialect: AgencyDialect, sponsor: Verkey? = nil) throws {
            guard let random = RandomStream(seed: .random()), let other = RandomStream(seed: .random()),
                let agency = VirtualAgency(
                    dialect, url: "http://agency.test", seed: .random(), sponsor: sponsor, random: random),
                let agent = VirtualAgent(endpoint: "http://agent.test/", random: other)
            else { throw CancellationError() }
            self.agency = agency
            self.agent = agent
            self.agent.answersByMailbox = true
        }

        func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8] {
            guard Text(url) == agent.endpoint else { throw .unreachable }
            defer { carry() }
            switch agent.handle(body, at: .zero) {
            case .accepted(let answer): return answer
            case .unreachable: throw .unreachable
            case .lost: throw .uncertain
            case .rejected: throw .refused(status: 400)
            }
        }

        func exchange(
            _ body: [UInt8]?, with url: String, as mediaType: String
        ) async throws(ExchangeError) -> MessageAnswer {
            if body != nil, url.hasSuffix("/agency/msg") { mediaTypes.insert(mediaType) }
            guard Text(url).hasPrefix(agency.url) else { throw .unreachable }
            let answer: VirtualAgency.Answer =
                if url.hasSuffix("/notifications/ack") {
                    agency.acknowledge(body ?? [])
                } else if url.contains("/notifications?") {
                    agency.notifications()
                } else {
                    body.map { agency.handle($0) } ?? agency.information()
                }
            guard let status = answer.status else { throw .uncertain }
            return MessageAnswer(status: status, body: answer.body)
        }

        /// What the agent posts goes to the agency.
        private func carry() {
            for post in agent.posts { _ = agency.handle(post.body) }
            agent.posts = []
        }

        func send(_ content: Text) {
            agent.send(content: content)
            carry()
        }

        func withAgency<Value: Sendable>(_ body: @Sendable (inout VirtualAgency) -> Value) -> Value { body(&agency) }
        var party: AgencyParty { agency.party }
        var invitation: JSON { agent.invitation }
        var received: Int { agent.received.count }
        var repetitions: Int { agent.repetitions }
    }

    private func withWorld(
        _ dialect: AgencyDialect, sponsor: Verkey? = nil,
        _ body: (MailKiosk.World, Network, AgencySettings) async throws -> Void
    ) async throws {
        try await Leftovers.ended { leftovers in
            let network = try Network(dialect, sponsor: sponsor)
            let settings = await settings(dialect, network, needsToken: sponsor != nil)
            try await body(
                try MailKiosk.World("agency", await network.invitation, network, leftovers), network, settings)
        }
    }

    private func settings(
        _ dialect: AgencyDialect, _ network: Network, needsToken: Bool
    ) async -> AgencySettings {
        var settings = AgencySettings(
            dialect, url: "http://agency.test", agency: await network.party, needsToken: needsToken)
        settings.limits.poll = .milliseconds(20)
        (settings.limits.firstRetry, settings.limits.refusedRetry) = (.milliseconds(5), .milliseconds(50))
        settings.limits.longestRetry = .milliseconds(50)
        return settings
    }

    @Test(arguments: AgencyDialect.allCases) func anAgentIsHeardThroughTheAgency(_ dialect: AgencyDialect) async throws
    {
        try await withWorld(dialect) { world, network, settings in
            await network.withAgency { $0.faults.lostAnswers = 2 }
            var kiosk = try await MailKiosk(world, .agency(settings))
            try await kiosk.record(3)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            #expect(await network.received == 3)
            #expect(await network.repetitions == 0)
            for number in 0..<20 { await network.send(Text("message \(number)")) }
            try await kiosk.wait("heard") { kiosk.notices.messages == 20 }

            // A restart brings nothing twice, and makes nothing anew at the agency.
            let made = await network.withAgency { $0.agents + $0.connections }
            await kiosk.stop()
            await network.send("while it was off")
            kiosk = try await MailKiosk(world, .agency(settings))
            try await kiosk.wait("heard") { kiosk.notices.messages == 21 }
            try await kiosk.record(2)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            try await kiosk.wait("released") {
                await network.withAgency { $0.messages.allSatisfy { $0.status == "MS-106" } }
            }
            #expect(kiosk.notices.messages == 21)
            #expect(await network.withAgency { $0.agents + $0.connections } == made)
            #expect(try await kiosk.mailboxes == 1)
            #expect(await network.mediaTypes == ["application/ssi-agent-wire"])

            // Another agency in the configuration: what there is stays, and an operator is told.
            await kiosk.stop()
            let wrong = AgencySettings(
                dialect, url: "http://other.test", agency: AgencyParty(did: "another", key: settings.agency.key))
            kiosk = try await MailKiosk(world, .agency(wrong))
            try await kiosk.wait("told") { kiosk.notices.ofMailboxes.contains { $0.text.contains("another one") } }
            #expect(try await kiosk.mailboxes == 1)
        }
    }

    @Test func theNodeAgencySaysWhenAMessageArrives() async throws {
        try await withWorld(.node) { world, network, settings in
            var settings = settings
            settings.limits.poll = .seconds(3600)
            let kiosk = try await MailKiosk(world, .agency(settings))
            try await kiosk.record(1)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            for number in 0..<3 {
                await network.send(Text("message \(number)"))
                try await kiosk.wait("heard") { kiosk.notices.messages == number + 1 }
            }
            try await kiosk.wait("acknowledged") { await network.withAgency { $0.acknowledged == $0.messages.count } }
        }
    }

    @Test func aTokenIsTakenFromWhereItIsPut() async throws {
        let sponsor = try #require(KeyPair(seed: .random()))
        try await withWorld(.evernym, sponsor: sponsor.verkey) { world, network, settings in
            let file = TokenFile()
            let kiosk = try await MailKiosk(world, .agency(settings), token: { file.content })
            try await kiosk.wait("asked for") { kiosk.notices.ofMailboxes.contains { $0.text.contains("token") } }
            await network.withAgency { $0.faults.lostAnswers = 1 }
            file.write(VirtualAgency.token(by: sponsor, nonce: "1"))
            // Its answer is lost, so the second time it was used before; and the same file is not read for ever.
            try await kiosk.wait("refused") { await network.withAgency { $0.log == ["CREATE_AGENT", "CREATE_AGENT"] } }
            try await Task.sleep(for: .milliseconds(100))
            #expect(await network.withAgency { $0.log.count } == 2)
            file.write(VirtualAgency.token(by: sponsor, nonce: "2"))
            try await kiosk.record(1)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            await network.send("hello")
            try await kiosk.wait("heard") { kiosk.notices.messages == 1 }
        }
    }

    @Test func theConfigurationNamesTheAgency() throws {
        let key = try #require(KeyPair(seed: Secret([UInt8](repeating: 1, count: 32)))).verkey
        func parse(_ agency: String, _ mailbox: String = "agency") throws -> Configuration {
            let text = "[kiosk]\nname = \"gate\"\n[agent]\nmailbox = \"\(mailbox)\"\n[agency]\n\(agency)"
            return try Configuration.parse(Array(text.utf8), file: "", folder: "/etc/gatehouse")
        }
        let good = """
            dialect = "evernym"
            url = "https://agency.example.org/"
            did = "VsKV7grR1BUE29mG2Fm2kX"
            verkey = "\(key)"
            tokenFile = "token"
            webhook = "https://kiosk.example.org/wake"
            poll = "1min"
            """
        let agency = try parse(good).agency
        let settings = try #require(agency.settings)
        #expect(settings.endpoint == "https://agency.example.org/agency/msg")
        #expect(settings.agency == AgencyParty(did: "VsKV7grR1BUE29mG2Fm2kX", key: key))
        #expect(settings.needsToken && agency.tokenFile == "/etc/gatehouse/token")
        #expect(settings.webhook?.url == "https://kiosk.example.org/wake" && settings.limits.poll == .seconds(60))
        #expect(try parse(good, "auto").agency.settings == nil)
        for (line, key) in [
            ("url = \"http://agency.example.org\"", "agency.url"), ("url = \"\"", "agency.url"),
            ("did = \"\"", "agency.did"), ("verkey = \"x\"", "agency.verkey"),
            ("dialect = \"node\"", "agency.tokenFile"),
        ] {
            let name = line.prefix { $0 != " " }
            let lines = good.split(separator: "\n").map { $0.hasPrefix(name + " ") ? line[...] : $0 }
            #expect {
                _ = try parse(lines.joined(separator: "\n"))
            } throws: { error in
                (error as? ConfigurationError)?.problems.map(\.key) == [key]
            }
        }
    }
}
