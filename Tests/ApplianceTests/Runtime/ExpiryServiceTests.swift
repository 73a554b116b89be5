import Credentials
import Encoding
import Foundation
import Kiosk
import Ledger
import LinuxIO
import Synchronization
import Testing

@testable import Appliance

/// The warnings of a service: from trust data in force to light, log and agents.
@Suite struct ExpiryServiceTests {
    private static let now = Timestamp(seconds: 1_800_000_000)
    private static let day: Int64 = 86_400

    private static func later(_ days: Int64) -> Timestamp { now.advanced(by: .seconds(days * day)) }

    /// A service whose clock and agents a test sets.
    private final class Gate: Sendable {
        let fixture: TrustFixture
        let reports = Reports()
        let log: LogSink
        let verifiers: VerifierInForce
        let clock = Mutex(WallTime(utc: ExpiryServiceTests.now, provenance: .synchronised))
        let others = Mutex<[Expiry]>([])
        let told = Mutex<(isReady: Bool, words: [String])>((true, []))
        let service = Mutex<ExpiryService?>(nil)

        init(_ material: TrustMaterial, refreshes: Bool = false) throws {
            fixture = try TrustFixture()
            log = try quietLog(in: fixture)
            verifiers = VerifierInForce(
                Verifier(trust: try TrustStore(material)),
                siteKey: try #require(SiteKey([UInt8](repeating: 7, count: 32))))
            let (reports, log, verifiers) = (reports, log, verifiers)
            let made = ExpiryService(
                .init(
                    verifiers: verifiers, others: { [weak self] _ in self?.others.withLock { $0 } ?? [] },
                    refreshes: refreshes,
                    wallTime: { [weak self] in
                        self?.clock.withLock { $0 } ?? .init(utc: .init(seconds: 0), provenance: .unset)
                    },
                    report: reports.report, log: log,
                    tell: { [weak self] code, text in
                        self?.told.withLock { told in
                            if told.isReady { told.words.append("\(code): \(text)") }
                            return told.isReady
                        } ?? false
                    }))
            service.withLock { $0 = made }
        }

        func look(_ second: Int64 = 0) async throws {
            let service = try #require(service.withLock { $0 })
            service.look(at: Instant(nanoseconds: (second + 1000) * 1_000_000_000))
            await service.tellAgents()
        }

        var status: JSON { service.withLock { $0?.status } ?? .null }

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
        #expect(gate.told.withLock { $0.words } == ["fault.expires-soon: \(words)"])
        #expect(
            gate.lines.count == 1 && gate.lines[0].contains("\"event\":\"expiry\"")
                && gate.lines[0].contains("\"days\":3"))
        #expect(gate.status["warnings"]?.array?.count == 1 && gate.status["dated"] == true)
        gate.verifiers.replace(trust: try TrustStore(Self.bundle(2, days: 300)))
        try await gate.look(10)
        #expect(gate.reports.present.isEmpty && gate.status["warnings"] == .array([]))
        #expect(gate.status["next"]?["name"]?.string?.string.hasPrefix("bundle 2") == true)
        #expect(gate.lines.count == 1)
    }

    @Test func agentsThatCannotBeToldYetAreToldLater() async throws {
        let gate = try Gate(Self.bundle(1, days: 2))
        gate.told.withLock { $0.isReady = false }
        try await gate.look()
        #expect(gate.told.withLock { $0.words }.isEmpty)
        gate.told.withLock { $0.isReady = true }
        try await gate.look(5)
        try await gate.look(10)
        #expect(gate.told.withLock { $0.words }.count == 1)
    }

    @Test(arguments: [WallTime.Provenance.unset, .saved]) func aDateThatIsNotTrusted(_ source: WallTime.Provenance)
        async throws
    {
        let gate = try Gate(Self.bundle(1, days: -2))
        gate.clock.withLock { $0.provenance = source }
        try await gate.look()
        #expect(gate.reports.present.isEmpty && gate.lines.isEmpty && gate.status["dated"] == false)
        gate.clock.withLock { $0.provenance = .rtc }
        try await gate.look(5)
        #expect(gate.reports.present == [.expired])
    }

    /// Everything that has an end, each by its name.
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
        material.statusLists = ["https://a.example/1": Array(list.utf8), "https://a.example/2": [1, 2, 3]]
        let verifier = Verifier(trust: try TrustStore(material))
        let found = Expiries.trust(verifier, refreshes: false).map { expiry in
            "\(expiry.kind.rawValue) \(expiry.name) \((expiry.end.seconds - Self.now.seconds) / Self.day)"
        }
        #expect(
            found == [
                "bundle bundle 1 sha256:0101010101010101 2", "issuer did:web:a.example 10",
                "document did:web:a.example 10", "key did:web:b.example#k 9", "status-list https://a.example/1 5",
            ])
        let renewed = Expiries.trust(verifier, refreshes: true).filter(\.isRenewed).map(\.kind)
        #expect(renewed == [.document, .key, .statusList])
    }

    /// A file of certificates that hangs, lies or is a whole system's warns of nothing.
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
        let found = Expiries.gate(configuration, rules: rules).map { "\($0.words) \($0.endWords)" }
        #expect(
            found == ["the policy \(rules.name) 2027-01-18 08:00 UTC", "the printed code 2027-01-17 00:00 UTC"])
    }
}
