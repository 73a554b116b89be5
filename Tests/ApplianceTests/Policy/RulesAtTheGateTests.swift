import Clocks
import Courier
import Credentials
import Encoding
import Features
import Foundation
import GateService
import Kiosk
import LinuxIO
import Reasons
import Settings
import TestKit
import Testing
import TrustFiles
import Workbench

/// Rules in trust data govern a gate without a policy file of its own, from the start and after a change.
@Suite struct RulesAtTheGateTests {
    /// The content of `policy.toml` in the trust directory.
    enum Rules: String, CaseIterable, Sendable {
        case none, open, shut, broken

        var text: String? {
            let type = self == .open ? "https://piyush7034.github.io/my-files/farmer.json#FarmerCredential" : "Other"
            return switch self {
            case .none: nil
            case .open, .shut: "id = \"\(rawValue)\"\nversion = \"1\"\n[[accept]]\nid = \"all\"\ntypes = \"\(type)\"\n"
            case .broken: "id = \"broken\"\n"
            }
        }
    }

    private let fixture: TrustFixture
    private let log: LogSink
    private let reports = Reports()

    init() throws {
        fixture = try TrustFixture()
        log = try quietLog(in: fixture)
        let index = """
            [{"url": "\(Samples.context.url)", "file": "farmer.json", "sha256": "\(Samples.contextDigest)"},
            {"url": "https://www.w3.org/2018/credentials/v1"}]
            """
        try fixture.write(
            "directory/issuers.toml", "[[issuer]]\nid = \"\(Samples.issuer)\"\ntypes = [\"\(Samples.type)\"]\n")
        try fixture.write("directory/contexts/index.json", index)
        for (name, bytes) in [
            ("did/a.json", Samples.issuerDocument), ("contexts/farmer.json", Samples.context.document),
        ] {
            try fixture.write("directory/" + name, String(decoding: bytes, as: UTF8.self))
        }
    }

    private func put(_ rules: Rules) throws {
        try? FileManager.default.removeItem(atPath: fixture.path + "/directory/policy.toml")
        if let text = rules.text { try fixture.write("directory/policy.toml", text) }
    }

    private func configuration(_ more: String = "") throws -> Configuration {
        let text = "[kiosk]\nname = \"Gate\"\n[trust]\ndirectory = \"directory\"\nstate = \"state\"\n\(more)"
        return try Configuration.parse(Array(text.utf8), file: "gate.toml", folder: fixture.path)
    }

    private func code(_ verifier: Verifier) -> ReasonCode {
        verifier.verify(Samples.credential, at: WallTime(utc: Samples.validDate, provenance: .given)).code
    }

    private static let wanted: [Rules: ReasonCode] = [
        .none: .ok, .open: .ok, .shut: .policyNoMatch, .broken: .issuerUntrusted,
    ]

    /// After a change, the rules in force are those that a start would use; but unusable rules change
    /// nothing.
    @Test(arguments: Rules.allCases, Rules.allCases) func fromOneToTheOther(_ first: Rules, _ second: Rules)
        async throws
    {
        try put(first)
        let configuration = try configuration()
        let start = try VerificationBasis(configuration, log, reports.report)
        #expect(code(start.verifier) == Self.wanted[first])
        let verifiers = CurrentVerifier(start.verifier, siteKey: .sample(7))
        let service = TrustService.make(
            configuration.trust, beginning: start.trust,
            refresher: TrustRefresher(configuration.trust, state: TrustState(configuration.trust)),
            verifiers: verifiers,
            policy: { ConfiguredPolicy.rules(of: configuration, under: $0) }, clock: .system,
            wallTime: { WallTime(utc: Samples.validDate, provenance: .given) }, log: log, report: reports.report)
        try put(second)
        for _ in 0..<3 { await service.turn(at: .zero) }
        let isKept = second == .broken
        #expect(code(verifiers.current) == Self.wanted[isKept ? first : second])
        #expect(reports.present.contains(.trustUnusable) == isKept)
        let inForce = RulesInForce(verifiers.current, configuration)
        let last = isKept ? first : second
        #expect(inForce.source.word == (last == .none || last == .broken ? "none" : "directory"))
        // The log shows when the rules changed.
        _ = log.flush()
        let lines = try String(contentsOfFile: fixture.path + "/log", encoding: .utf8).split(separator: "\n")
        let told = lines.filter { $0.contains("\"event\":\"policy\"") }
        let changed = !isKept && first != second && !(first == .broken && second == .none)
        #expect(told.count == (changed ? 1 : 0), "\(lines)")
        if changed { #expect(told.first?.contains(inForce.source.words) == true, "\(told)") }
    }

    /// The gate's own policy file takes precedence, also after any change of the trust data.
    @Test(arguments: Rules.allCases) func aFileOfItsOwnGoesBefore(_ trusted: Rules) throws {
        try put(trusted)
        for own in [Rules.open, .shut, .broken] {
            try fixture.write("own.toml", own.text ?? "")
            try? FileManager.default.removeItem(atPath: fixture.path + "/state")
            let start = try VerificationBasis(try configuration("[policy]\nfile = \"own.toml\"\n"), log, reports.report)
            let wanted: ReasonCode = trusted == .broken ? .issuerUntrusted : own == .open ? .ok : .policyNoMatch
            #expect(code(start.verifier) == wanted, "\(own) over \(trusted)")
            #expect(start.rules.source == .file(fixture.path + "/own.toml"))
            #expect(start.rules.hidesOthers == (trusted == .open || trusted == .shut))
        }
    }
}
