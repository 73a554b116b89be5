import Aries
import DIDComm
import Encoding
import Foundation
import HTTPTransport
import Ledger
import Simulation
import Store
import TestKit
import Testing

@testable import Appliance

/// An agency as the mailbox: what an agent says by itself arrives there, and the gate's driver, database and files do their part.
@Suite(.timeLimit(.minutes(3))) struct AgencyMailTests {
    private final class Notices: @unchecked Sendable {
        private let lock = NSLock()
        private var links: [AgentNotice] = []
        private var mail: [MailboxNotice] = []
        private var token: [UInt8]?
        func add(_ notice: AgentNotice) { lock.withLock { links.append(notice) } }
        func add(_ notice: MailboxNotice) { lock.withLock { mail.append(notice) } }
        func give(_ token: JSON) { lock.withLock { self.token = token.compactBytes } }
        var given: [UInt8]? { lock.withLock { token } }
        var messages: Int { lock.withLock { links.count { if case .message = $0 { true } else { false } } } }
        var texts: [String] { lock.withLock { mail.map(\.text) } }
        var all: String { lock.withLock { "\(links.map(\.text)) \(mail.map(\.text))" } }
    }

    /// The network: an agency, and an agent that says everything by it.
    private actor Network: MessageExchange {
        private var agency: VirtualAgency
        private var agent: VirtualAgent
        private(set) var mediaTypes: Set<String> = []

        init(_ dialect: AgencyDialect, sponsor: Verkey? = nil) throws {
            func secret() -> Secret { Secret((0..<32).map { _ in UInt8.random(in: 0...255) }) }
            guard let random = RandomStream(seed: secret()), let other = RandomStream(seed: secret()),
                let agency = VirtualAgency(
                    dialect, url: "http://agency.test", seed: secret(), sponsor: sponsor, random: random),
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

    /// A kiosk: its database, its destination and its mail room.
    private final class Kiosk: Sendable {
        let store: Store
        let notices: Notices
        private let destination: Destination
        private let task: Task<Void, Never>

        init(_ folder: URL, _ network: Network, _ settings: AgencySettings, _ notices: Notices) async throws {
            let store = try await Store.open(folder.appendingPathComponent("ledger.db").path)
            try await store.destination(DeliveryCursor.primary)
            var limits = AgentConnection.Limits()
            (limits.firstRetry, limits.longestRetry) = (.milliseconds(2), .milliseconds(10))
            (limits.firstLook, limits.longestLook) = (.milliseconds(5), .milliseconds(50))
            let connection = AgentConnection.Configuration(label: "kiosk", limits: limits)
            let invitation = await network.invitation
            let mail = MailRoom(
                .agency(settings),
                MailRoom.Surroundings(
                    exchange: network, store: store,
                    settings: Mediator.Configuration(connection: connection, allowsPlainHTTP: true),
                    invitation: { _ in try Invitation(invitation) }, token: { notices.given },
                    refused: StoredInvitations(withoutMailbox: store), clock: .system(),
                    notice: { notices.add($0) }, pause: .milliseconds(10)))
            var link = AgentLink.Surroundings(
                exchange: network, store: store, outbox: StoredOutbox(store, DeliveryCursor.primary),
                reports: Memory.settings, postbox: mail, asksForMailbox: { _ in false },
                observe: { notices.add($0) })
            (link.allowsPlainHTTP, link.reception) = (true, .mailbox)
            let file = folder.appendingPathComponent("invitation").path
            try Data(invitation.compactBytes).write(to: URL(fileURLWithPath: file))
            let destination = Destination(
                files: [file],
                Destination.Surroundings(
                    invitation: { _ throws(InvitationReader.Failure) in
                        do throws(InvitationError) {
                            return try Invitation(invitation)
                        } catch {
                            throw .invitation(error)
                        }
                    }, link: link, settings: connection,
                    invitations: StoredInvitations(store, DeliveryCursor.primary), mail: mail,
                    notice: { _ in }, pause: .milliseconds(10)))
            (self.store, self.destination, self.notices) = (store, destination, notices)
            task = Task {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await mail.run() }
                    group.addTask { await destination.run() }
                }
            }
        }

        func record(_ count: Int) async throws {
            let software = Outcome.Software(name: "s", version: "1")
            let stamp = RecordStamp(
                kiosk: "k", boot: "b", time: WallTime(utc: Timestamp(seconds: 1), provenance: .rtc), monotonic: .zero)
            for _ in 0..<count {
                let visit = Text(UUID().uuidString.lowercased())
                try await store.appendIntent(visit, stamp: stamp)
                try await store.appendOutcome(visit, Outcome(.accepted, gate: .shut, software: software), stamp: stamp)
            }
            await destination.wake()
        }

        var isDelivered: Bool {
            get async { await store.deliveries[DeliveryCursor.primary]?.confirmed == store.head.point.count }
        }

        var mailboxes: Int {
            get async throws { try await store.connections().count { $0.destination == MailRoom.destination } }
        }

        func wait(_ what: String, until isDone: @Sendable () async throws -> Bool) async throws {
            let until = ContinuousClock.now + .seconds(90)
            while try await !isDone() {
                guard ContinuousClock.now < until else {
                    Issue.record("not \(what): \(notices.all)")
                    throw CancellationError()
                }
                try await Task.sleep(for: .milliseconds(5))
            }
        }

        func stop() async {
            task.cancel()
            await task.value
            await store.close()
        }
    }

    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("agency-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    private func settings(
        _ dialect: AgencyDialect, _ network: Network, needsToken: Bool = false
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
        try await withFolder { folder in
            let network = try Network(dialect)
            let settings = await settings(dialect, network)
            await network.withAgency { $0.faults.lostAnswers = 2 }
            var kiosk = try await Kiosk(folder, network, settings, Notices())
            try await kiosk.record(3)
            try await kiosk.wait("delivered") { [kiosk] in await kiosk.isDelivered }
            #expect(await network.received == 3)
            #expect(await network.repetitions == 0)
            for number in 0..<20 { await network.send(Text("message \(number)")) }
            try await kiosk.wait("heard") { [kiosk] in kiosk.notices.messages == 20 }

            // A restart brings nothing twice, and makes nothing anew at the agency.
            let made = await network.withAgency { $0.agents + $0.connections }
            await kiosk.stop()
            await network.send("while it was off")
            kiosk = try await Kiosk(folder, network, settings, Notices())
            try await kiosk.wait("heard") { [kiosk] in kiosk.notices.messages == 1 }
            try await kiosk.record(2)
            try await kiosk.wait("delivered") { [kiosk] in await kiosk.isDelivered }
            try await kiosk.wait("released") {
                await network.withAgency { $0.messages.allSatisfy { $0.status == "MS-106" } }
            }
            #expect(kiosk.notices.messages == 1)
            #expect(await network.withAgency { $0.agents + $0.connections } == made)
            #expect(try await kiosk.mailboxes == 1)
            #expect(await network.mediaTypes == ["application/ssi-agent-wire"])

            // Another agency in the configuration: what there is stays, and an operator is told.
            await kiosk.stop()
            let wrong = AgencySettings(
                dialect, url: "http://other.test", agency: AgencyParty(did: "another", key: settings.agency.key))
            kiosk = try await Kiosk(folder, network, wrong, Notices())
            try await kiosk.wait("told") { [kiosk] in kiosk.notices.texts.contains { $0.contains("another one") } }
            #expect(try await kiosk.mailboxes == 1)
            await kiosk.stop()
        }
    }

    @Test func theNodeAgencySaysWhenAMessageArrives() async throws {
        try await withFolder { folder in
            let network = try Network(.node)
            var settings = await settings(.node, network)
            settings.limits.poll = .seconds(3600)
            let kiosk = try await Kiosk(folder, network, settings, Notices())
            try await kiosk.record(1)
            try await kiosk.wait("delivered") { [kiosk] in await kiosk.isDelivered }
            for number in 0..<3 {
                await network.send(Text("message \(number)"))
                try await kiosk.wait("heard") { [kiosk] in kiosk.notices.messages == number + 1 }
            }
            try await kiosk.wait("acknowledged") { await network.withAgency { $0.acknowledged == $0.messages.count } }
            await kiosk.stop()
        }
    }

    @Test func aTokenIsTakenFromWhereItIsPut() async throws {
        try await withFolder { folder in
            let seed = Secret((0..<32).map { _ in UInt8.random(in: 0...255) })
            let sponsor = try #require(KeyPair(seed: seed))
            let network = try Network(.evernym, sponsor: sponsor.verkey)
            let settings = await settings(.evernym, network, needsToken: true)
            let kiosk = try await Kiosk(folder, network, settings, Notices())
            try await kiosk.wait("asked for") { [kiosk] in kiosk.notices.texts.contains { $0.contains("token") } }
            await network.withAgency { $0.faults.lostAnswers = 1 }
            kiosk.notices.give(token(sponsor, "1"))
            // Its answer is lost, so the second time it was used before; and the same file is not read for ever.
            try await kiosk.wait("refused") { await network.withAgency { $0.log == ["CREATE_AGENT", "CREATE_AGENT"] } }
            try await Task.sleep(for: .milliseconds(100))
            #expect(await network.withAgency { $0.log.count } == 2)
            kiosk.notices.give(token(sponsor, "2"))
            try await kiosk.record(1)
            try await kiosk.wait("delivered") { [kiosk] in await kiosk.isDelivered }
            await network.send("hello")
            try await kiosk.wait("heard") { [kiosk] in kiosk.notices.messages == 1 }
            await kiosk.stop()
        }
    }

    private func token(_ sponsor: KeyPair, _ nonce: Text) -> JSON {
        let time = Text("2026-01-01T00:00:00+00:00")
        let signature = sponsor.sign(Array("\(nonce)\(time)kioskgate".utf8))
        return [
            "sponseeId": "kiosk", "sponsorId": "gate", "nonce": .string(nonce), "timestamp": .string(time),
            "sig": .text(Base64.encode(signature, .standard)), "sponsorVerKey": .string(sponsor.verkey.base58),
        ]
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
