import Clocks
import Courier
import Credentials
import Encoding
import Features
import Foundation
import GateService
import Kiosk
import Ledger
import LinuxIO
import Observation
import Reasons
import Settings
import Store
import Synchronization
import TestKit
import Testing
import TrustFiles

@testable import Monitoring

/// The warnings of a service: from the trust data in force to light, log and agents.
@Suite struct ExpiryServiceTests {
    private static let now = Timestamp(seconds: 1_800_000_000)
    private static let day: Int64 = 86_400

    private static func later(_ days: Int64) -> Timestamp { now.advanced(by: .seconds(days * day)) }

    /// A service whose clock and agents a test sets.
    private final class Gate: Sendable {
        let fixture: TrustFixture
        let reports = Reports()
        let log: LogSink
        let verifiers: CurrentVerifier
        let clock = Mutex(WallTime(utc: ExpiryServiceTests.now, provenance: .synchronised))
        let others = Mutex<[Expiry]>([])
        /// The destinations that can be notified, of "primary" and "copy", and the texts that each has
        /// received.
        let told = Mutex<(ready: Set<Text>, words: [Text: [String]])>((["primary", "copy"], [:]))
        let service = Mutex<ExpiryService?>(nil)

        init(_ material: TrustMaterial) throws {
            fixture = try TrustFixture()
            log = try quietLog(in: fixture)
            verifiers = CurrentVerifier(
                Verifier(trust: try TrustStore(material)),
                siteKey: try #require(SiteKey([UInt8](repeating: 7, count: 32))))
            let (reports, log, verifiers) = (reports, log, verifiers)
            let made = ExpiryService(
                .init(
                    verifiers: verifiers, others: { [weak self] _ in self?.others.withLock { $0 } ?? [] },
                    fetchedFrom: nil,
                    wallTime: { [weak self] in
                        self?.clock.withLock { $0 } ?? .init(utc: .init(seconds: 0), provenance: .unset)
                    },
                    report: reports.report, log: log,
                    tell: { [weak self] code, text, heard in
                        self?.told.withLock { told in
                            for name in told.ready.subtracting(heard) {
                                told.words[name, default: []].append("\(code): \(text)")
                            }
                            let heard = heard.union(told.ready)
                            return .init(heard: heard, isComplete: heard.count == 2)
                        } ?? .init(isComplete: false)
                    }), clock: .system)
            service.withLock { $0 = made }
        }

        func look(_ second: Int64 = 0) async throws {
            let service = try #require(service.withLock { $0 })
            service.look(at: Instant(nanoseconds: (second + 1000) * 1_000_000_000))
            await service.tellAgents()
        }

        var status: StatusReport.Expiries { service.withLock { $0?.status } ?? StatusReport.Expiries() }

        var lines: [String] {
            guard log.flush(within: .seconds(60)) else { return ["the log hangs"] }
            let text = (try? String(contentsOfFile: fixture.path + "/log", encoding: .utf8)) ?? ""
            return text.split(separator: "\n").map(String.init)
        }
    }

    private static func bundle(_ version: Int, days: Int64) -> TrustMaterial {
        var material = TrustMaterial()
        material.edition = TrustEdition(
            version: version, digest: [UInt8](repeating: 1, count: 32), issued: later(-300), validUntil: later(days))
        return material
    }

    @Test func aBundleWarnsUntilItsSuccessorIsInForce() async throws {
        let gate = try Gate(Self.bundle(1, days: 2))
        try await gate.look()
        try await gate.look(5)
        #expect(gate.reports.present == [.expiresSoon])
        let words = "the trust bundle 1 sha256:0101010101010101 ends on 2027-01-17 08:00 UTC, in less than 3 days"
        #expect(gate.reports.details(.expiresSoon) == [words])
        #expect(gate.told.withLock { $0.words["primary"] } == ["fault.expires-soon: \(words)"])
        #expect(
            gate.lines.count == 1 && gate.lines[0].contains("\"event\":\"expiry\"")
                && gate.lines[0].contains("\"days\":3"))
        #expect(gate.status.warnings?.count == 1 && gate.status.isDated == true)
        gate.verifiers.replace(trust: try TrustStore(Self.bundle(2, days: 300)))
        try await gate.look(10)
        #expect(gate.reports.present.isEmpty && gate.status.warnings == [])
        #expect(gate.status.next?.name?.hasPrefix("bundle 2") == true)
        #expect(gate.lines.count == 1)
    }

    @Test func agentsThatCannotBeReachedAreNotifiedLater() async throws {
        let gate = try Gate(Self.bundle(1, days: 2))
        gate.told.withLock { $0.ready = [] }
        try await gate.look()
        #expect(gate.told.withLock { $0.words }.isEmpty)
        gate.told.withLock { $0.ready = ["primary"] }
        try await gate.look(5)
        // An unreachable agent delays no later warning to the other agent, and no warning is sent twice.
        gate.others.withLock { $0 = [Expiry(.root, "CN=R", end: Self.later(1))] }
        try await gate.look(200)
        try await gate.look(205)
        #expect(gate.told.withLock { $0.words.mapValues(\.count) } == ["primary": 2])
        gate.told.withLock { $0.ready = ["copy"] }
        try await gate.look(210)
        gate.told.withLock { $0.ready = ["primary", "copy"] }
        try await gate.look(215)
        #expect(gate.told.withLock { $0.words.mapValues(\.count) } == ["primary": 2, "copy": 2])
    }

    /// A gate starts with a warning before its agent answers: the agent receives the warning, once, as soon
    /// as it answers.
    @Test(.timeLimit(.minutes(3)), .tags(.realTime)) func anAgentThatAnswersLate() async throws {
        try await Leftovers.ended { leftovers in
            let folder = try leftovers.folder("late")
            let agent = try SocketAgent(hasPickup: nil)
            agent.fallSilent(.fails)
            try Data(agent.invitation.compactBytes).write(to: folder.appendingPathComponent("invitation"))
            let configuration = try Configuration.ofAgent(in: folder)
            let store = try await Store.open(configuration.ledger.path)
            let agents = AgentService(
                configuration: configuration, store: store,
                openCourier: { () async throws(StoreError) in try await CourierStore.opened(besides: store) },
                log: try LogSink(.file("/dev/null")), clock: .system,
                spawner: .system, report: { _ in })
            let task = Task { try await agents.run() }
            let verifiers = CurrentVerifier(
                Verifier(trust: try TrustStore(Self.bundle(1, days: 2))),
                siteKey: try #require(SiteKey([UInt8](repeating: 7, count: 32))))
            let fixture = try TrustFixture()
            let service = ExpiryService(
                .init(
                    verifiers: verifiers, others: { _ in [] }, fetchedFrom: nil,
                    wallTime: { WallTime(utc: Self.now, provenance: .synchronised) }, report: { _ in },
                    log: try quietLog(in: fixture),
                    tell: { code, text, heard in
                        let told = await agents.tell(code, text, sparing: heard)
                        return .init(heard: told.heard, isComplete: told.isComplete)
                    }), clock: .system)
            service.look(at: Instant(nanoseconds: 0))
            try await eventually("running") { await agents.isRunning }
            for _ in 0..<20 {
                await service.tellAgents()
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(agent.problems.isEmpty, "nobody can hear it yet")
            agent.fallSilent(nil)
            try await eventually("told") {
                await service.tellAgents()
                return !agent.problems.isEmpty
            }
            await service.tellAgents()
            #expect(agent.problems.count == 1 && agent.problems.first?.contains("fault.expires-soon") == true)
            task.cancel()
            _ = await task.result
            await store.close()
        }
    }

    @Test(arguments: [WallTime.Provenance.unset, .saved]) func aDateThatIsNotTrusted(_ source: WallTime.Provenance)
        async throws
    {
        let gate = try Gate(Self.bundle(1, days: -2))
        gate.clock.withLock { $0.provenance = source }
        try await gate.look()
        #expect(gate.reports.present.isEmpty && gate.lines.isEmpty && gate.status.isDated == false)
        gate.clock.withLock { $0.provenance = .rtc }
        try await gate.look(5)
        #expect(gate.reports.present == [.expired])
    }

    /// Everything that has an end of validity, each by its name.
    @Test func allThatEnds() async throws {
        var material = Self.bundle(1, days: 2)
        var issuer = TrustedIssuer(id: "did:web:a.example", controllers: ["did:web:b.example"])
        (issuer.notBefore, issuer.notAfter) = (Self.later(-400), Self.later(10))
        issuer.documentMaxAge = .seconds(30 * Self.day)
        material.issuers = [issuer]
        material.documents = [
            Array(#"{"id": "did:web:a.example", "verificationMethod": []}"#.utf8),
            Array(
                """
                {"id": "did:web:b.example", "assertionMethod": ["#k"], "verificationMethod": [{"id": "did:web:b.example#k",
                "type": "Multikey", "controller": "did:web:b.example", "expires": "\(Self.later(9).rfc3339)",
                "publicKeyMultibase": "z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp"}]}
                """.utf8),
        ]
        material.fetched = ["did:web:a.example": Self.later(-20)]
        let list =
            #"{"id": "https://a.example/1", "issuer": "did:web:a.example", "validUntil": "\#(Self.later(5).rfc3339)"}"#
        material.statusLists = [
            "https://a.example/1": Array(list.utf8), "https://a.example/2": [1, 2, 3],
            "https://lists.example/1": Array(
                list.replacing("https://a.example/1", with: "https://lists.example/1").utf8),
        ]
        let verifier = Verifier(trust: try TrustStore(material))
        let found = Expiries.trust(verifier, fetchedFrom: nil).map { expiry in
            "\(expiry.kind.rawValue) \(expiry.name) \((expiry.end.seconds - Self.now.seconds) / Self.day)"
        }
        #expect(
            found == [
                "bundle bundle 1 sha256:0101010101010101 2", "issuer did:web:a.example 10",
                "document did:web:a.example 10", "key did:web:b.example#k 9", "status-list https://a.example/1 5",
                "status-list https://lists.example/1 5",
            ])
        func renewed(_ hosts: Set<Text>?) -> [Text] {
            Expiries.trust(verifier, fetchedFrom: hosts).filter(\.isRenewed).map(\.name)
        }
        #expect(renewed(nil).isEmpty)
        // A document at a host that is never asked is not renewed.
        #expect(renewed([]) == ["did:web:a.example", "did:web:b.example#k", "https://a.example/1"])
        let lists = try #require(WebURL.place("lists.example"))
        #expect(renewed([lists]) == ["https://lists.example/1"])
    }

    /// A file of certificates that hangs, is invalid, or is the one of the whole system leads to no warning.
    @Test func certificatesForServers() throws {
        let fixture = try TrustFixture()
        func found(_ pem: String) throws -> [Expiry] {
            try fixture.write("roots.pem", pem)
            let text = "kiosk.name = \"G\"\n[agent]\nrootsFile = \"roots.pem\"\n"
            return Expiries.gate(
                try Configuration.parse(Array(text.utf8), file: "gate.toml", folder: fixture.path), rules: nil)
        }
        #expect(
            try found("").isEmpty && found("-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n").isEmpty)
        unlink(fixture.path + "/roots.pem")
        mkfifo(fixture.path + "/roots.pem", 0o600)
        let text = "kiosk.name = \"G\"\n[agent]\nrootsFile = \"roots.pem\"\n"
        let configuration = try Configuration.parse(Array(text.utf8), file: "gate.toml", folder: fixture.path)
        #expect(Expiries.gate(configuration, rules: nil).isEmpty)
    }

    @Test func rulesAndPrintedCode() throws {
        var rules = GatePolicy(id: "p", version: "1", digest: [])
        rules.validUntil = Self.later(3)
        let text = "kiosk.name = \"G\"\n[sticker]\nkey = \"none\"\nuntil = \"2027-01-16\"\n"
        let configuration = try Configuration.parse(Array(text.utf8), file: "gate.toml", folder: "/nowhere")
        let all = Expiries.gate(configuration, rules: rules) + FeatureList.expiries(configuration)
        let found = all.map { "\($0.words) \($0.endWords)" }
        #expect(
            found == ["the policy \(rules.name) 2027-01-18 08:00 UTC", "the printed code 2027-01-17 00:00 UTC"])
    }
}
