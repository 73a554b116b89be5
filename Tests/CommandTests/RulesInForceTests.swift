import Credentials
import Encoding
import Features
import Foundation
import GateService
import LinuxIO
import Settings
import TestKit
import Testing
import TrustFiles

/// The rules in force, and their source, are the same everywhere: at the gate, in `verify` with a trust
/// directory, a bundle or a configuration, in `policy test`, and in every command that names the rules.
@Suite struct RulesInForceTests {
    private let folder: Scratch
    private static let date = "2026-06-01T09:00:00Z"
    private static let farmer = "https://piyush7034.github.io/my-files/farmer.json#FarmerCredential"

    /// The rules at one place.
    enum Rules: String, CaseIterable, Sendable {
        /// No rules.
        case none
        /// Rules that admit the sample.
        case open
        /// Rules that do not admit the sample.
        case shut
        /// A file that is no policy.
        case broken

        var text: String? {
            let type = self == .open ? RulesInForceTests.farmer : "https://works.example/ns#StaffPass"
            return switch self {
            case .none: nil
            case .open, .shut:
                """
                id = "\(rawValue)"
                version = "1"
                [[accept]]
                id = "rule"
                types = ["\(type)"]
                [[test]]
                at = \(RulesInForceTests.date)
                credential = "../sample/credential.json"
                trust = "../sample/trust"
                expect = "\(self == .open ? "accept" : "reject")"

                """
            case .broken: "id = \"broken\"\nversion = \"1\"\n"
            }
        }
    }

    init() async throws {
        folder = try Scratch()
        try await folder.exportSample()
    }

    /// Makes a folder of that name with the sample's trust data and these rules.
    private func makeTrust(_ name: String, _ rules: Rules) async throws {
        _ = try await Program.run("cp", ["-r", "sample/trust", name], in: folder)
        if let text = rules.text { try folder.write("\(name)/policy.toml", text) }
    }

    private func first(_ ending: Ending) -> String {
        let line = ending.json.first
        let code = line?["reasons"]?.array?.first?["code"]?.string?.string ?? "-"
        return "\(ending.code) \(line?["decision"]?.string?.string ?? "-") \(code)"
    }

    /// Returns the verdict of the gate itself, which is built as at its start.
    private func gate(_ file: String) throws -> (verdict: Verdict, rules: RulesInForce) {
        let configuration = try Configuration.load(folder.path(file))
        let log = try LogSink(.file(folder.fresh("log")))
        let judgement = try VerificationBasis(configuration, log) { _ in }
        let bytes = Array(try Data(contentsOf: folder.url.appendingPathComponent("sample/credential.json")))
        let date = try #require(Timestamp(rfc3339: Self.date))
        return (judgement.verifier.verify(bytes, at: WallTime(utc: date, provenance: .given)), judgement.rules)
    }

    @Test(arguments: Rules.allCases, Rules.allCases)
    func theGateAndTheCommandsAgree(_ configured: Rules, _ trusted: Rules) async throws {
        try await makeTrust("trust", trusted)
        if let text = configured.text { try folder.write("own/policy.toml", text) }
        let policy = configured == .none ? "" : "[policy]\nfile = \"own/policy.toml\"\n"
        try folder.write(
            "gate.toml",
            "[kiosk]\nname = \"A\"\n[trust]\ndirectory = \"trust\"\nstate = \"state\"\n\(policy)")
        try await agree(configured, trusted, ["--trust", "trust"], source: "directory")

        // The same with a bundle; a bundle with broken rules cannot be made.
        let key = try await folder.gatehouse("trust", "keygen", "operator.pem").lines.first ?? ""
        let words = ["trust", "bundle", "trust", "--key", "operator.pem", "--number", "1", "--output", "gates.bundle"]
        let made = try await folder.gatehouse(words)
        #expect((made.code == 0) == (trusted != .broken), "\(made)")
        guard made.code == 0 else { return }
        try folder.write(
            "gate.toml",
            "[kiosk]\nname = \"A\"\n[trust]\nstate = \"state\"\nbundleKeys = [\"\(key)\"]\n\(policy)")
        let taken = try await folder.gatehouse("trust", "import", "gates.bundle", "--config", "gate.toml")
        #expect(taken.code == 0 && taken.output.contains("\npolicy "), "\(taken)")
        try await agree(configured, trusted, ["--trust", "gates.bundle", "--key", key], source: "bundle")
    }

    /// Compares all answers about one gate; `words` verify by hand with the same trust data.
    private func agree(_ configured: Rules, _ trusted: Rules, _ words: [String], source: Text) async throws {
        let file = configured == .none ? [] : ["--policy", "own/policy.toml"]
        let verify = ["verify", "sample/credential.json", "--at", Self.date]
        let byHand = try await folder.gatehouse(verify + words + file)
        let asked = try await folder.gatehouse(verify + ["--config", "gate.toml"])
        let gate = try gate("gate.toml")
        let inForce = configured == .none ? trusted : configured
        let place: Comment = "\(configured.rawValue) over \(trusted.rawValue) from a \(source)"
        guard configured != .broken, trusted != .broken else {
            // A command reports the error; the gate admits no visitor.
            #expect(byHand.code == 2 && asked.code == 2, place)
            let wrong = trusted == .broken ? "trust/policy.toml: there is no" : "own/policy.toml: there is no"
            #expect(byHand.errors.contains(wrong) && asked.errors.contains(wrong), "\(byHand) \(asked)")
            #expect(!gate.verdict.isAccepted, place)
            return
        }
        let wanted =
            inForce == .shut ? "1 reject policy.no-match" : "0 accept ok"
        #expect(first(byHand) == wanted && first(asked) == wanted, "\(place): \(byHand) \(asked)")
        #expect(gate.verdict.isAccepted == (inForce != .shut), place)
        let name = byHand.json.first?["policy"]?.string
        #expect(name == asked.json.first?["policy"]?.string && name == Text(gate.verdict.policy), place)

        // Every command that names the rules names these.
        let list = try await folder.gatehouse("trust", "list", "--json", "--config", "gate.toml")
        let origin: Text = configured != .none ? "file" : trusted != .none ? source : "none"
        #expect(list.json.first?["policySource"]?.string == origin, "\(place): \(list)")
        #expect(list.json.first?["policy"]?.string == (inForce == .none ? nil : name), place)
        #expect(gate.rules.source.word == origin.string, place)
        let said = try await folder.gatehouse("trust", "verify", "--config", "gate.toml")
        #expect(said.lines.contains("policy \(gate.rules.line)"), "\(place): \(said)")
        let doctor = try await folder.gatehouse("doctor", "--json", "--config", "gate.toml")
        #expect(doctor.output.contains(gate.rules.origin), "\(place): \(doctor)")
        guard inForce != .none else { return }

        // The policy's own test agrees, and without rules the sample is admitted.
        let path = configured != .none ? "own/policy.toml" : "trust/policy.toml"
        let tests = try await folder.gatehouse("policy", "test", path)
        #expect(tests.code == 0, "\(place): \(tests)")
        let bare = try await folder.gatehouse(verify + words + ["--no-policy"])
        #expect(first(bare) == "0 accept ok", "\(place): \(bare)")
    }

    /// A dangling link counts as a missing file, and not as a gate without rules.
    @Test func rulesThatAreGoneAreNotNone() async throws {
        try await makeTrust("trust", .none)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("trust/policy.toml"), withDestinationPath: folder.path("nowhere.toml"))
        let ending = try await folder.gatehouse(
            "verify", "--trust", "trust", "--at", Self.date, "sample/credential.json")
        #expect(ending.code == 2 && ending.errors.contains("trust/policy.toml: does not exist"), "\(ending)")
        let bundle = try await folder.gatehouse("trust", "keygen", "operator.pem")
        #expect(bundle.code == 0)
        let made = try await folder.gatehouse(
            "trust", "bundle", "trust", "--key", "operator.pem", "--number", "1", "--output", "gates.bundle")
        #expect(made.code == 2, "\(made)")
    }

    /// The text output.
    @Test func theRulesAreShownWithTheirOrigin() async throws {
        try await makeTrust("trust", .shut)
        let explained = try await folder.gatehouse(
            "verify", "--explain", "--trust", "trust", "--at", Self.date, "sample/credential.json")
        #expect(explained.output.contains("policy   shut@1 sha256:"), "\(explained)")
        #expect(explained.output.contains(", from trust/policy.toml\n"), "\(explained)")
        try folder.write("own/policy.toml", Rules.open.text ?? "")
        let own = try await folder.gatehouse(
            "verify", "--explain", "--trust", "trust", "--policy", "own/policy.toml", "--at", Self.date,
            "sample/credential.json")
        #expect(own.output.contains(", from own/policy.toml in place of those in the trust data\n"), "\(own)")
        let list = try await folder.gatehouse("trust", "list", "trust")
        #expect(list.lines.dropFirst().first?.hasPrefix("policy shut@1 sha256:") == true, "\(list)")
        try await makeTrust("bare", .none)
        let bare = try await folder.gatehouse("trust", "list", "bare")
        #expect(bare.lines.dropFirst().first?.hasPrefix("policy none: ") == true, "\(bare)")
        let configuration = try folder.configuration(more: "[policy]\nfile = \"own/policy.toml\"\n")
        let check = try await folder.gatehouse("config", "check", configuration)
        #expect(
            check.lines.drop { !$0.hasSuffix(": good") }.dropFirst().first
                == "rules from \(folder.path("own/policy.toml"))", "\(check)")
    }

    /// The running service names its rules too, in its log and when asked.
    @Test(.tags(.realTime)) func theServiceNamesItsRules() async throws {
        let configuration = try folder.configuration()
        try folder.write("trust/policy.toml", Rules.shut.text ?? "")
        let words = ["\"event\":\"policy\"", "\"source\":\"from \(folder.path("trust/policy.toml"))\""]
        let ending = try await folder.serve(configuration, until: words) { [folder] in
            try await folder.waitForService(configuration)
            let text = try await folder.gatehouse("status", "--config", configuration)
            let line = text.lines.first { $0.hasPrefix("policy   ") } ?? ""
            #expect(line.hasPrefix("policy   shut@1 sha256:"), "\(text)")
            #expect(line.hasSuffix(", from \(folder.path("trust/policy.toml"))"), "\(text)")
            let json = try await folder.gatehouse("status", "--json", "--config", configuration)
            #expect(json.json.first?["trust"]?["policySource"] == "directory", "\(json)")
        }
        #expect(ending.code == 0, "\(ending)")
    }

    @Test func contradictionsAreRefused() async throws {
        try folder.write("own/policy.toml", Rules.open.text ?? "")
        for words in [["--policy", "own/policy.toml"], ["--config", "gate.toml"], ["--direction", "in"]] {
            let ending = try await folder.gatehouse(["verify", "--no-policy", "sample/credential.json"] + words)
            #expect(ending.code == 2 && ending.hasRemedy, "\(ending)")
        }
    }
}
