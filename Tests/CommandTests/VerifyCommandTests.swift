import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse verify`: the JSON line, the exit codes, and the errors about unusable input.
@Suite struct VerifyCommandTests {
    private let folder: Scratch
    private let date = "2026-06-01T09:00:00Z"

    init() async throws {
        folder = try Scratch()
        try await folder.exportSample()
    }

    /// Expects the members of a line, in this order, and no others.
    private func check(_ line: JSON, file: Text, decision: Text) throws {
        #expect(line.object?.names == ["file", "decision", "reasons", "stages", "trust", "policy"])
        #expect(line["file"]?.string == file)
        #expect(line["decision"]?.string == decision)
        let reasons = try #require(line["reasons"]?.array)
        #expect(!reasons.isEmpty)
        for reason in reasons {
            #expect(reason["code"]?.string != nil)
            let severity = try #require(reason["severity"]?.string)
            #expect((["info", "warning", "error"] as [Text]).contains(severity))
            let members = Set(reason.object?.names ?? [])
            #expect(members.isSubset(of: ["code", "pointer", "severity"]))
        }
        let stages = try #require(line["stages"]?.array)
        #expect(!stages.isEmpty)
        for stage in stages {
            #expect(stage.object?.names == ["name", "us"])
            #expect(stage["name"]?.string != nil)
            #expect((stage["us"]?.int ?? -1) >= 0)
        }
        #expect(line["trust"]?.string != nil)
        #expect(line["policy"]?.string != nil)
    }

    /// Verifies with the gate's own trust and rules, without a service.
    @Test func verificationWithTheGatesOwnData() async throws {
        let configuration = """
            [kiosk]
            name = "A"
            [trust]
            directory = "sample/trust"
            state = "state"
            """
        try folder.write("gate.toml", configuration)
        let words = ["verify", "--at", date, "sample/credential.json", "--config"]
        let open = try await folder.gatehouse(words + ["gate.toml"])
        #expect(open.code == 0 && open.json.first?["decision"] == "accept", "\(open)")
        let byHand = try await folder.gatehouse(
            "verify", "--trust", "sample/trust", "--at", date, "sample/credential.json")
        #expect(open.json.first?["trust"]?.string != nil && open.json.first?["trust"] == byHand.json.first?["trust"])
        try folder.write(
            "rules.toml", "id = \"r\"\nversion = \"1\"\n[[accept]]\nid = \"none\"\ntypes = [\"https://a.example/T\"]\n")
        try folder.write("strict.toml", configuration + "\n[policy]\nfile = \"rules.toml\"\n")
        let shut = try await folder.gatehouse(words + ["strict.toml"])
        #expect(shut.code == 1 && shut.json.first?["decision"] == "reject", "\(shut)")
        let both = try await folder.gatehouse(words + ["gate.toml", "--trust", "sample/trust"])
        #expect(both.code == 2 && both.hasRemedy && both.errors.contains("--config"), "\(both)")
    }

    private static func reason(_ ending: Ending) -> Text? {
        ending.json.first?["reasons"]?.array?.first?["code"]?.string
    }

    /// Configures a gate with that minimum trust in its date, and with the lines `more`.
    private func gate(_ minimum: String, _ more: String = "") throws {
        try folder.write(
            "gate.toml",
            """
            [kiosk]
            name = "A"
            [trust]
            directory = "sample/trust"
            state = "state"
            [clock]
            minimum = "\(minimum)"
            [ledger]
            path = "ledger/gate.db"
            \(more)
            """)
    }

    private func wouldTheGateTakeIt(_ more: String...) async throws -> Ending {
        try await folder.gatehouse(["verify", "--config", "gate.toml", "sample/credential.json"] + more)
    }

    /// A gate that does not trust its date rejects every credential, and `verify` reports that.
    @Test func theGatesRuleForItsClockCounts() async throws {
        let byHand = try await folder.gatehouse("verify", "--trust", "sample/trust", "sample/credential.json")
        try gate("unset")
        let anyDate = try await wouldTheGateTakeIt()
        #expect(anyDate.code == byHand.code && Self.reason(anyDate) == Self.reason(byHand), "\(anyDate)")
        for minimum in ["saved", "rtc", "synchronised"] {
            try gate(minimum)
            let worth = try await folder.gatehouse("clock", "show", "--json", "--config", "gate.toml")
            let order: [Text] = ["unset", "saved", "rtc", "synchronised"]
            let provenance = try #require(worth.json.first?["provenance"]?.string)
            let isEnough = try #require(order.firstIndex(of: provenance)) >= order.firstIndex(of: Text(minimum)) ?? 0
            let ending = try await wouldTheGateTakeIt()
            #expect(ending.code == (isEnough ? byHand.code : 1), "\(minimum), \(provenance): \(ending)")
            #expect(
                Self.reason(ending) == (isEnough ? Self.reason(byHand) : "clock.untrusted"), "\(minimum): \(ending)")
        }
    }

    /// The latest date of the ledger and a date that a person has set count too, on every machine; so does
    /// the policy. The command creates no ledger.
    @Test func aDateThatContradictsWhatIsKnown() async throws {
        try folder.write("ledger/gate.db.clock", "2099-01-01T00:00:00Z\n")
        let rules = "id = \"r\"\nversion = \"1\"\n[[accept]]\nid = \"all\"\n[clock]\nminimum = \"rtc\"\n"
        try folder.write("rules.toml", rules)
        for (minimum, more) in [("rtc", ""), ("unset", "[policy]\nfile = \"rules.toml\"")] {
            try gate(minimum, more)
            let ending = try await wouldTheGateTakeIt()
            #expect(ending.code == 1 && Self.reason(ending) == "clock.untrusted", "\(minimum): \(ending)")
            #expect(ending.json.first?["decision"] == "reject" && ending.errors.isEmpty, "\(ending)")
            // A date that a person gives is trusted, and the output says so.
            let given = try await wouldTheGateTakeIt("--at", date)
            #expect(given.code == 0 && given.json.first?["decision"] == "accept", "\(given)")
            #expect(given.errors.contains("--at") && given.errors.split(separator: "\n").count == 1, "\(given)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("ledger")) == ["gate.db.clock"])
    }

    /// A ledger that this user may not read is not a ledger that never existed: the trust in the date is then
    /// unknown.
    @Test(arguments: [["clock", "show"], ["verify", "sample/credential.json"], ["ledger", "list"]])
    func aLedgerThatMayNotBeSeen(_ words: [String]) async throws {
        try gate("unset")
        try folder.write("ledger/gate.db", "")
        try folder.setMode("ledger", 0)
        defer { try? folder.setMode("ledger", 0o700) }
        let ending = try await folder.confinedGatehouse(words + ["--config", "gate.toml"])
        #expect(ending.code == 2 && ending.output.isEmpty && ending.hasRemedy, "\(ending)")
        #expect(ending.errors.contains("no permission for ") && ending.errors.contains("gate.db"), "\(ending)")
    }

    /// A bundle can replace the directory from which it was made.
    @Test func trustFromABundle() async throws {
        let key = try await folder.gatehouse("trust", "keygen", "operator.pem")
        let made = try await folder.gatehouse(
            "trust", "bundle", "sample/trust", "--key", "operator.pem", "--number", "1", "--output", "bundle")
        #expect(made.code == 0, "\(made)")
        let words = ["verify", "--at", date, "sample/credential.json", "--trust", "bundle"]
        let good = try await folder.gatehouse(words + ["--key", key.lines.first ?? ""])
        #expect(good.code == 0 && good.json.first?["decision"] == "accept", "\(good)")
        let nobody = try await folder.gatehouse(words)
        #expect(nobody.code == 2 && nobody.errors.contains("--key"), "\(nobody)")
        let missing = try await folder.gatehouse("verify", "--trust", "nowhere", "sample/credential.json")
        #expect(missing.code == 2 && missing.errors.contains("there is nothing at nowhere"), "\(missing)")
    }

    @Test func timingsAreOfManyRuns() async throws {
        let words = ["verify", "--trust", "sample/trust", "--at", date, "sample/credential.json", "--timings"]
        let alone = try await folder.gatehouse(words)
        #expect(alone.code == 2 && alone.hasRemedy && alone.errors.contains("--repeat"), "\(alone)")
        #expect(try await folder.gatehouse(words + ["--repeat", "3"]).code == 0)
    }

    /// Plain words are no credential in CBOR, although they may begin with a letter with which CBOR in base64
    /// begins.
    @Test(arguments: [
        "hello, gate\n", "have a look at my pass, which has quite a few words in it and is no credential at all\n",
    ])
    func plainTextIsNoCBOR(_ text: String) async throws {
        try folder.write("note.txt", text)
        let ending = try await folder.gatehouse("verify", "note.txt")
        #expect(ending.code == 1)
        #expect(ending.json.first?["reasons"]?.array?.first?["code"] == "json.syntax", "\(ending)")
    }

    @Test func oneLineForEachFile() async throws {
        let altered = try folder.read("sample/credential.json").replacingOccurrences(of: "Leased", with: "Owned")
        try folder.write("altered.json", altered)
        let good = try await folder.gatehouse(
            "verify", "--trust", "sample/trust", "--at", date, "sample/credential.json", "sample/wallet-record.json")
        #expect(good.code == 0, "\(good)")
        #expect(good.json.count == 2)
        try check(good.json[0], file: "sample/credential.json", decision: "accept")
        #expect(good.json[0]["reasons"]?.array?.first?["code"] == "ok")
        let order = good.json[0]["stages"]?.array?.compactMap { $0["name"]?.string }
        #expect(order?.starts(with: ["input", "syntax", "envelope", "shape", "validity", "issuer"]) == true)
        let mixed = try await folder.gatehouse(
            "verify", "--trust", "sample/trust", "--at", date, "sample/credential.json", "altered.json")
        #expect(mixed.code == 1)
        #expect(mixed.json.count == 2)
        try check(mixed.json[1], file: "altered.json", decision: "reject")
        let reason = try #require(mixed.json[1]["reasons"]?.array?.first)
        #expect(reason["code"] == "proof.invalid")
        #expect(reason["pointer"] == "/proof")
        #expect(reason["severity"] == "error")
        #expect(mixed.json[1]["stages"]?.array?.last?["name"] == "proof", "the first failing stage is the last")
        #expect(!mixed.output.contains("Mary"), "no claims")
    }

    @Test func aMissingFileDoesNotKeepTheOthersFromBeingVerified() async throws {
        let ending = try await folder.gatehouse(
            "verify", "--trust", "sample/trust", "--at", date, "nowhere.json", "sample/credential.json", "sample")
        #expect(ending.code == 2)
        #expect(ending.json.count == 1)
        #expect(ending.json.first?["decision"] == "accept")
        #expect(ending.hasRemedy)
        #expect(ending.errors.contains("nowhere.json") && ending.errors.contains("cannot read sample"))
    }

    @Test func withoutATrustDirectoryNoIssuerIsTrusted() async throws {
        let ending = try await folder.gatehouse("verify", "--at", date, "sample/credential.json")
        #expect(ending.code == 1)
        #expect(ending.json.first?["reasons"]?.array?.first?["code"] == "issuer.untrusted")
    }

    @Test func standardInput() async throws {
        let text = try folder.read("sample/credential.json")
        let ending = try await folder.gatehouse("verify", "--trust", "sample/trust", "--at", date, "-", input: text)
        #expect(ending.code == 0, "\(ending)")
        try check(try #require(ending.json.first), file: "-", decision: "accept")
        let empty = try await folder.gatehouse("verify", "--at", date, "-")
        #expect(empty.code == 1)
        #expect(empty.json.first?["reasons"]?.array?.first?["code"] == "json.syntax")
    }

    @Test func repetitionAndTimings() async throws {
        let ending = try await folder.gatehouse(
            "verify", "--trust", "sample/trust", "--at", date, "--repeat", "3", "--timings", "sample/credential.json")
        #expect(ending.code == 0)
        #expect(ending.json.count == 1)
        try check(try #require(ending.json.first), file: "sample/credential.json", decision: "accept")
        let names = ending.json[0]["stages"]?.array?.compactMap { $0["name"]?.string } ?? []
        #expect(Set(names).count == names.count, "each stage once, not three times")
    }

    @Test func explanation() async throws {
        let good = try await folder.gatehouse(
            "verify", "--explain", "--trust", "sample/trust", "--at", date, "sample/credential.json")
        #expect(good.code == 0)
        #expect(good.lines.first == "sample/credential.json")
        #expect(good.output.contains("ACCEPTED (ok)"))
        let bad = try await folder.gatehouse("verify", "--explain", "--at", date, "sample/credential.json")
        #expect(bad.code == 1)
        #expect(bad.output.contains("FAILED") && bad.output.contains("issuer.untrusted"))
        #expect(bad.output.contains("not reached"))
        #expect(bad.output.contains("→ "), "a remedy")
    }

    @Test func anExplanationCannotSteerTheTerminal() async throws {
        let text = try folder.read("sample/credential.json")
            .replacingOccurrences(of: "\"did:web:", with: "\"did:web:\\u001b]0;x\\u0007\\u202e")
        try folder.write("escape.json", text)
        let ending = try await folder.gatehouse("verify", "--explain", "--at", date, "escape.json")
        #expect(ending.code == 1)
        #expect(!ending.output.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" || $0 == "\u{7}" })
    }

    @Test func everythingThatIsWrongWithATrustDirectory() async throws {
        try folder.write("bad/issuers.toml", "profile = \"lax\"\n[[issuer]]\nname = \"x\"\n")
        try folder.write("bad/did/a.json", "{")
        try folder.write("bad/contexts/index.json", "[{\"url\": \"https://c.example/v1\", \"file\": \"none.json\"}]")
        let ending = try await folder.gatehouse("verify", "--trust", "bad", "sample/credential.json")
        #expect(ending.code == 2)
        #expect(ending.output.isEmpty)
        for place in ["bad/issuers.toml:1: ", "bad/issuers.toml:3: ", "bad/did/a.json:1: ", "bad/contexts/none.json: "]
        {
            #expect(ending.errors.contains(place), "\(place) in \(ending.errors)")
        }
        #expect(ending.errors.contains("4 problems"))
        let absent = try await folder.gatehouse("verify", "--trust", "nowhere", "sample/credential.json")
        #expect(absent.code == 2)
        #expect(absent.errors.contains("there is nothing at nowhere"))
    }

    @Test(arguments: [
        ["verify"], ["verify", "--profile", "loose", "x"], ["verify", "--at", "soon", "x"],
        ["verify", "--repeat", "0", "x"], ["verify", "--repeat", "many", "x"], ["verify", "--lenient", "x"],
    ]) func wrongUsage(_ arguments: [String]) async throws {
        let ending = try await folder.gatehouse(arguments)
        #expect(ending.code == 2, "\(ending)")
        #expect(ending.output.isEmpty && !ending.errors.isEmpty)
    }
}
