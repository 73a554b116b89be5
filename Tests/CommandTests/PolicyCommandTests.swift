import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse policy` and `gatehouse verify --policy`: the gate's rules from the command line.
@Suite struct PolicyCommandTests {
    private let folder: Scratch
    private let date = "2026-06-01T09:00:00Z"
    private static let farmer = "https://piyush7034.github.io/my-files/farmer.json#FarmerCredential"
    private static let subject = "https://www.w3.org/2018/credentials#credentialSubject"

    init() async throws {
        folder = try Scratch()
        try await folder.exportSample()
        try folder.write(
            "farmers.toml",
            """
            id = "market"
            version = "7"
            [[accept]]
            id = "officials"
            types = ["https://works.example/ns#Official"]
            [[accept]]
            id = "rice"
            types = ["\(Self.farmer)"]
            direction = "in"
            require = [ { claim = ["\(Self.subject)", "https://schema.org/Text"], contains = "Rice" } ]
            [[accept]]
            id = "farmers"
            types = ["\(Self.farmer)"]
            require = [ { age = "/credentialSubject/dateOfBirth", at-least = 60 } ]

            [[test]]
            name = "the sample on the way in"
            at = \(date)
            direction = "in"
            credential = "sample/credential.json"
            trust = "sample/trust"
            expect = "accept"
            rule = "rice"
            [[test]]
            name = "the sample is too young"
            at = \(date)
            credential = "sample/credential.json"
            trust = "sample/trust"
            expect = "reject"
            rule = "farmers"
            [[test]]
            name = "the sample again"
            at = \(date)
            direction = "in"
            credential = "sample/credential.json"
            trust = "sample/trust"
            seen = true
            expect = "reject"
            code = "replay.seen"
            [[test]]
            name = "the sample when it is over"
            at = 2028-06-01T09:00:00Z
            credential = "sample/wallet-record.json"
            trust = "sample/trust"
            expect = "reject"
            code = "validity.expired"
            [[test]]
            name = "claims from a file"
            at = \(date)
            types = ["\(Self.farmer)"]
            claims = "claims.json"
            expect = "accept"
            rule = "farmers"

            """)
        try folder.write("claims.json", #"{"credentialSubject": {"dateOfBirth": "1966-06-01"}}"#)
    }

    private func verify(_ arguments: String...) async throws -> Ending {
        try await folder.gatehouse(
            ["verify", "--trust", "sample/trust", "--at", date] + arguments + ["sample/credential.json"])
    }

    @Test func verifyByRules() async throws {
        let accepted = try await verify("--policy", "farmers.toml", "--direction", "in")
        #expect(accepted.code == 0, "\(accepted)")
        let line = try #require(accepted.json.first)
        #expect(line["reasons"]?.array?.compactMap { $0["code"]?.string } == ["ok", "policy.rice"])
        #expect(line["policy"]?.string?.string.hasPrefix("market@7 sha256:") == true)
        #expect(line["stages"]?.array?.last?["name"] == "policy")
        let rejected = try await verify("--policy", "farmers.toml")
        #expect(rejected.code == 1)
        #expect(rejected.json.first?["reasons"]?.array?.first?["code"] == "policy.farmers")
        let lax = try await folder.gatehouse(
            "verify", "--policy", "farmers.toml", "--at", date, "sample/credential.json")
        #expect(lax.json.first?["reasons"]?.array?.first?["code"] == "issuer.untrusted", "rules trust nobody")
    }

    @Test func explanationOfTheRules() async throws {
        let ending = try await verify("--policy", "farmers.toml", "--explain")
        #expect(ending.code == 1)
        for sentence in [
            "FAILED  the gate's own rules", "accept officials: not about this credential (type)",
            "accept rice: not about this credential (direction)", "accept farmers: not fulfilled: age at-least at",
            "REJECTED (policy.farmers)",
        ] {
            #expect(ending.output.contains(sentence), "\(sentence) in \(ending)")
        }
        #expect(!ending.output.contains("1975") && !ending.output.contains("Rice"), "no claims")
    }

    /// The sample's context maps the crops and the kind of ownership to one property: the holder can exchange
    /// them, and the signature stays valid. A rule that reads such a name is never fulfilled.
    @Test func exchangedNamesAreNotBelieved() async throws {
        let text = try folder.read("sample/credential.json")
        let exchanged = text.replacingOccurrences(of: "\"Rice\"", with: "\"?\"")
            .replacingOccurrences(of: "\"Leased\"", with: "\"Rice\"").replacingOccurrences(
                of: "\"?\"", with: "\"Leased\"")
        #expect(exchanged != text)
        try folder.write("exchanged.json", exchanged)
        try folder.write(
            "named.toml",
            """
            id = "p"
            version = "1"
            [[accept]]
            id = "rice"
            require = [ { claim = "/credentialSubject/primaryCropType", in = ["Rice", "Leased"] } ]

            """)
        let plain = ["verify", "--trust", "sample/trust", "--at", date]
        #expect(try await folder.gatehouse(plain + ["exchanged.json"]).code == 0, "the signature is right")
        for file in ["exchanged.json", "sample/credential.json"] {
            let ending = try await folder.gatehouse(plain + ["--policy", "named.toml", "--explain", file])
            #expect(ending.code == 1 && ending.output.contains("use property IRIs"), "\(ending)")
        }
    }

    @Test func testsOfAPolicy() async throws {
        let ending = try await folder.gatehouse("policy", "test", "farmers.toml")
        #expect(ending.code == 0, "\(ending)")
        #expect(ending.lines.last == "  5 of 5 tests passed")
        #expect(ending.lines.contains("  ok      the sample on the way in: accept by rice"))
        let json = try await folder.gatehouse("policy", "test", "--json", "farmers.toml")
        #expect(json.code == 0 && json.json.count == 5)
        #expect(json.json.allSatisfy { $0["passed"] == true && $0["file"] == "farmers.toml" })
        #expect(json.json.first?.object?.names == ["file", "test", "line", "passed", "decision", "code", "rule"])
    }

    @Test func aFailedTestSaysWhy() async throws {
        let text = try folder.read("farmers.toml").replacingOccurrences(of: "at-least = 60", with: "at-least = 50")
        try folder.write("loose.toml", text)
        let ending = try await folder.gatehouse("policy", "test", "farmers.toml", "loose.toml")
        #expect(ending.code == 1, "\(ending)")
        #expect(ending.output.contains("FAILED  the sample is too young: accept by farmers"))
        #expect(ending.output.contains("expects: reject by farmers"))
        #expect(ending.output.contains("accept farmers: decided"))
        #expect(ending.lines.last == "  4 of 5 tests passed")
        try folder.write("bare.toml", "id = \"p\"\nversion = \"1\"\n[[accept]]\nid = \"all\"\n")
        #expect(try await folder.gatehouse("policy", "test", "bare.toml").code == 1, "a policy without tests")
        try folder.write(
            "lost.toml",
            "id = \"p\"\nversion = \"1\"\n[[accept]]\nid = \"all\"\n[[test]]\nat = \(date)\nexpect = \"accept\"\nclaims = \"gone.json\"\n"
        )
        let lost = try await folder.gatehouse("policy", "test", "lost.toml")
        #expect(lost.code == 1 && lost.output.contains("gone.json cannot be read"), "\(lost)")
    }

    @Test func everythingThatIsWrongWithAPolicy() async throws {
        try folder.write("bad.toml", "id = \"p\"\nversion = 1\n\n[[accept]]\nid = \"a\"\nrequires = []\n")
        for arguments in [
            ["policy", "check", "bad.toml"], ["policy", "test", "bad.toml"],
            ["verify", "--policy", "bad.toml", "sample/credential.json"],
        ] {
            let ending = try await folder.gatehouse(arguments)
            #expect(ending.code == 2, "\(ending)")
            #expect(ending.output.isEmpty)
            #expect(ending.errors.contains("bad.toml:2: version is a whole number. "))
            #expect(ending.errors.contains("bad.toml:6: requires is not a known key"))
            #expect(ending.errors.contains("2 problems"))
        }
        let json = try await folder.gatehouse("policy", "check", "--json", "bad.toml")
        #expect(json.code == 2)
        #expect(json.json.first?["problems"]?.array?.compactMap { $0["line"]?.int } == [2, 6])
        let absent = try await folder.gatehouse("policy", "check", "nowhere.toml")
        #expect(absent.code == 2 && absent.errors.contains("nowhere.toml: does not exist"))
    }

    @Test(.tags(.realTime)) func theServiceAdmitsNoVisitorWithoutItsRules() async throws {
        try folder.write("bad.toml", "id = \"p\"\nversion = \"1\"\n")
        let configuration = try folder.configuration(more: "[policy]\nfile = \"bad.toml\"\n")
        let ending = try await folder.serve(configuration, until: ["\"code\":\"fault.policy-file\""])
        #expect(ending.code == 0, "\(ending)")
        #expect(ending.errors.contains("bad.toml: there is no [[accept]] rule"), "\(ending)")
        #expect(ending.errors.contains("Until then no visitor is admitted."), "\(ending)")
    }

    @Test func checkAPolicy() async throws {
        let good = try await folder.gatehouse("policy", "check", "farmers.toml")
        #expect(good.code == 0 && good.lines.first == "farmers.toml: good", "\(good)")
        #expect(good.lines.contains("accept  rice"))
        let json = try await folder.gatehouse("policy", "check", "--json", "farmers.toml")
        #expect(json.json.first?["accept"]?.array == ["officials", "rice", "farmers"])
        #expect(json.json.first?["tests"]?.int == 5)
        try folder.write(
            "group.toml", "id = \"p\"\nversion = \"1\"\n[[accept]]\nid = \"a\"\nissuers = \"group:wroks\"\n")
        #expect(try await folder.gatehouse("policy", "check", "group.toml").code == 0)
        let unknown = try await folder.gatehouse("policy", "check", "--trust", "sample/trust", "group.toml")
        #expect(unknown.code == 1 && unknown.hasRemedy && unknown.errors.contains("wroks"), "\(unknown)")
    }

    /// A valid but possibly surprising line is reported with its number, and the file can be used
    /// nevertheless.
    @Test func surprisingRulesAreReported() async throws {
        try folder.write(
            "odd.toml",
            """
            id = "odd"
            version = "1"
            [[deny]]
            id = "lost"
            subjects = ["did:example:lost"]
            [[accept]]
            id = "a"
            types = ["https://works.example/ns#StaffPass"]
            issuers = ["did:web:works.example"]
            require = [ { claim = "/credentialSubject/number", equals = 9007199254740993 } ]

            """)
        let plain = try await folder.gatehouse("policy", "check", "odd.toml")
        #expect(plain.code == 0 && plain.lines.first == "odd.toml: can be used, with 2 warnings", "\(plain)")
        #expect(plain.hasRemedy && plain.errors.contains("odd.toml:5: the deny rule lost also rejects"), "\(plain)")
        #expect(plain.errors.contains("odd.toml:10: equals compares with a number that"), "\(plain)")
        let held = try await folder.gatehouse("policy", "check", "--json", "--trust", "sample/trust", "odd.toml")
        #expect(held.code == 1 && held.errors.isEmpty, "\(held)")
        let warnings = held.json.first?["warnings"]?.array ?? []
        #expect(warnings.prefix(4).map { $0["line"]?.int } == [5, 10, 7, 7], "\(held)")
        #expect(warnings.allSatisfy { $0["message"]?.string != nil && $0["remedy"]?.string != nil }, "\(held)")
    }

    /// Rules in a directory or a bundle are checked there.
    @Test func theRulesOfTrustDataAreChecked() async throws {
        let none = try await folder.gatehouse("policy", "check", "--trust", "sample/trust")
        #expect(none.code == 2 && none.hasRemedy && none.errors.contains("no policy.toml in sample/trust"), "\(none)")
        try folder.write("sample/trust/policy.toml", try folder.read("farmers.toml"))
        let found = try await folder.gatehouse("policy", "check", "--trust", "sample/trust")
        #expect(found.lines.first?.hasPrefix("sample/trust/policy.toml: ") == true, "\(found)")
        #expect(found.lines.contains("accept  rice"), "\(found)")
        let key = try await folder.gatehouse("trust", "keygen", "operator.pem").lines.first ?? ""
        _ = try await folder.gatehouse(
            "trust", "bundle", "sample/trust", "--key", "operator.pem", "--number", "1", "--output", "gates.bundle")
        let bundle = try await folder.gatehouse("policy", "check", "--trust", "gates.bundle", "--key", key)
        #expect(bundle.code == found.code && bundle.lines.first?.hasPrefix("gates.bundle: ") == true, "\(bundle)")
        try folder.write("sample/trust/policy.toml", "id = \"p\"\n")
        let broken = try await folder.gatehouse("policy", "check", "--trust", "sample/trust")
        #expect(
            broken.code == 2 && broken.errors.contains("sample/trust/policy.toml: there is no version"), "\(broken)")
    }

    @Test func theExampleThatIsInstalled() async throws {
        let start = Vectors.repository.appendingPathComponent("deploy/policy-start.toml").path
        let begun = try await folder.gatehouse("policy", "check", start)
        #expect(begun.code == 0 && begun.errors.isEmpty, "\(begun)")
        let file = Vectors.repository.appendingPathComponent("deploy/policy.toml").path
        #expect(try await folder.gatehouse("policy", "check", file).code == 0)
        let tests = try await folder.gatehouse("policy", "test", file)
        #expect(tests.code == 0, "\(tests)")
    }

    @Test(arguments: [
        ["policy"], ["policy", "test"], ["policy", "check"], ["policy", "check", "a", "b"],
        ["verify", "--policy"], ["verify", "--direction", "in", "x"],
        ["verify", "--policy", "farmers.toml", "--direction", "up", "x"],
    ]) func wrongUsage(_ arguments: [String]) async throws {
        let ending = try await folder.gatehouse(arguments)
        #expect(ending.code == 2 || arguments == ["policy"], "\(ending)")
        #expect(arguments == ["policy"] || ending.output.isEmpty && !ending.errors.isEmpty, "\(ending)")
    }
}
