import Encoding
import Foundation
import Testing

/// `gatehouse report`, for a person who helps from elsewhere.
@Suite struct ReportCommandTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func gate(_ more: String = "") async throws -> String {
        try await folder.exportSample()
        return try folder.write(
            "gate.toml",
            """
            [kiosk]
            name = "North-Gate"
            [trust]
            directory = "sample/trust"
            state = "trust"
            [ledger]
            path = "gatehouse.db"
            [control]
            path = "control.sock"
            \(more)
            """)
    }

    @Test func everyPartIsThereAndNoName() async throws {
        let file = try await gate("[agency]\ndialect = \"evernym\"\ntoken = \"not-a-real-token\"")
        let written = try folder.write(
            "log", "North-Gate asked https://agent.example/?oob=eyJh\nvisit from 5C:F3:70:8B:12:FE\nnot-a-real-token\n")
        let ending = try await folder.gatehouse("report", "--redacted", "--config", file, "--log", written)
        #expect(ending.code == 0 && ending.errors.isEmpty, "\(ending)")
        for part in ["## Machine", "## Findings of the doctor", "## Status of the service", "## Settings", "## Log"] {
            #expect(ending.lines.contains(part), "\(part)")
        }
        #expect(ending.output.contains("it does not answer") && ending.output.contains("gatehouse 0."))
        #expect(ending.output.contains("  name = \"<name 1>\"") && ending.output.contains("[door]"))
        let log = ending.lines.suffix(3).map { $0.replacing(/[0-9]>$/, with: "N>") }
        #expect(log == ["<name 1> asked <invitation N>", "visit from <address N>", "<secret N>"])
        for secret in ["North-Gate", "agent.example", "5C:F3", "not-a-real-token"] {
            #expect(!ending.output.contains(secret), "\(secret)")
        }
    }

    /// A name of several words is removed even where a line could break inside it.
    @Test func aNameOfSeveralWordsIsTakenOut() async throws {
        let name = "Pier Nine North"
        let file = try await gate("[display]\ninstruction = \"\(name)\"\nfile = \"/nowhere/at all/\(name)/a.png\"")
        let ending = try await folder.gatehouse("report", "--redacted", "--config", file)
        #expect(ending.code == 0 && !ending.output.contains("Nine") && ending.output.contains("/<name "), "\(ending)")
        #expect(ending.lines.allSatisfy { !$0.hasPrefix("  →") })
    }

    @Test func namesStayByDefault() async throws {
        let ending = try await folder.gatehouse(
            "report", "--config", try await gate("[agency]\ntoken = \"not-a-real-token\""))
        #expect(ending.code == 0 && ending.output.contains("name = \"North-Gate\""), "\(ending)")
        #expect(!ending.output.contains("not-a-real-token") && !ending.lines.contains("## Log"))
    }

    /// When the configuration has an error, its names are still removed, also under a misspelt key. When it
    /// is not TOML, its names are unknown, and everything that may contain them is left out.
    @Test func namesGoAlsoWhereTheConfigurationHasAMistake() async throws {
        let names = ["North-Gate", "site.north.2", "Pier Nine", "south-yard", "vault.example", "hunter2hunter2"]
        let log = try folder.write(
            "log",
            names.map { "{\"text\":\"of \($0): 401\"}" }.joined(separator: "\n") + "\nvisit by https://a.example/\n")
        let text = """
            [kiosk]
            name = "North-Gate"
            id = "site.north.2"
            nickname = "Pier Nine"
            [gate]
            pulse = "North-Gate"
            [agency]
            token = "hunter2hunter2"
            webhook = "https://vault.example:8443/wake"
            [[agent.copy]]
            name = "south-yard"
            invitations = ["a.json"]
            """
        let wrong = try await folder.gatehouse(
            "report", "--redacted", "--config", try folder.write("gate.toml", text), "--log", log)
        #expect(wrong.code == 0 && wrong.output.contains("configuration: bad: "), "\(wrong)")
        for name in names { #expect(!wrong.output.contains(name), "\(name): \(wrong)") }
        #expect(wrong.lines.suffix(1) == ["visit by <link 1>"] && wrong.output.contains(": 401"), "\(wrong)")
        let broken = try await folder.gatehouse(
            "report", "--redacted", "--config", try folder.write("broken.toml", text + "\n[["), "--log", log)
        #expect(broken.code == 0 && broken.lines.last?.hasPrefix("omitted: ") == true, "\(broken)")
        for name in names { #expect(!broken.output.contains(name), "\(name): \(broken)") }
    }

    /// Writes a configuration and rules that name groups, hosts and certificates.
    private func gateWithNames() async throws -> String {
        let file = try await gate(
            """
            [clock]
            minimum = "unset"
            [policy]
            file = "rules.toml"
            [agent]
            mailbox = "agency"
            rootsFile = "root.pem"
            [agency]
            url = "https://agency.example"
            did = "VsKV7grR1BUE29mG2Fm2kX"
            verkey = "Hezce2UWMZ3wUhVkh2LfKSs8nDzWwzs2Win7EzNN3YaR"
            dialect = "evernym"
            token = "https://vault.example/token"
            webhook = "https://wake.example/in"
            """)
        try folder.write(
            "rules.toml",
            """
            id = "lockhart-yard"
            version = "7"
            valid-until = \(Timestamp(seconds: Int64(Date().timeIntervalSince1970) + 3600).rfc3339)
            [[accept]]
            id = "staff"
            issuers = ["group:lockhart-staff"]
            [[test]]
            name = "Lockhart himself"
            at = 2026-06-01T05:30:00Z
            issuer = "did:web:nobody.example"
            types = ["https://nobody.example/Pass"]
            expect = "accept"
            """)
        return file
    }

    /// The names of rules, certificates and hosts appear in findings and in the log, and are removed, also
    /// while the service is down.
    @Test func namesOfRulesCertificatesAndHostsGo() async throws {
        let root = """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out root.pem \
            -days 2 -subj '/O=Works of Nowhere/CN=Pier Nine Root'
            """
        guard try await Program.run("sh", ["-c", root], in: folder).code == 0 else {
            return print("skipped: openssl is missing")
        }
        let file = try await gateWithNames()
        let pinned = try await folder.gatehouse("trust", "pin", "root", "root.pem", "--trust", "sample/trust")
        #expect(pinned.code == 0, "\(pinned)")
        let log = try folder.write(
            "log",
            """
            {"event":"expiry","kind":"root","name":"CN=Old Yard Root, O=Works of Nowhere","text":"the root CN=Old Yard Root, O=Works of \
            Nowhere ended on 2026-01-01 00:00 UTC"}
            {"event":"policy","version":"former-yard@6 sha256:0011223344556677"}
            {"event":"agent.mailbox","text":"no sponsor's token: vault.example answers 401"}
            agency.example and wake.example are silent; lockhart-yard@7 sha256:0011223344556677
            """)
        let ending = try await folder.gatehouse("report", "--redacted", "--config", file, "--log", log)
        #expect(ending.code == 0, "\(ending)")
        for secret in [
            "Pier Nine", "Nowhere", "Old Yard", "lockhart", "Lockhart", "former-yard", "vault.example",
            "agency.example",
            "wake.example",
        ] {
            #expect(!ending.output.contains(secret), "\(secret): \(ending)")
        }
        // The findings themselves stay readable.
        for words in [
            "fault.expires-soon", "the root <name", "the certificate for servers <name", "ended on 2026-01-01",
            "box.policy-tests", "answers 401",
        ] {
            #expect(ending.output.contains(words), "\(words): \(ending)")
        }
        let plain = try await folder.gatehouse("report", "--config", file, "--log", log)
        for name in ["Pier Nine", "lockhart-yard@7", "Lockhart himself"] {
            #expect(plain.output.contains(name), "\(name): \(plain)")
        }
    }

    /// A configuration that cannot be read is part of the report, because the report is about such errors.
    @Test func aConfigurationThatCannotBeReadIsReported() async throws {
        let file = try folder.write("gate.toml", "[kiosk]\nname = \n")
        let ending = try await folder.gatehouse("report", "--redacted", "--config", file)
        #expect(ending.code == 0 && ending.output.contains("they cannot be read"), "\(ending)")
        #expect(ending.output.contains("configuration: bad") && ending.output.contains("gate.toml:2:"), "\(ending)")
        let missing = try await folder.gatehouse("report", "--config", file, "--log", "nothing")
        #expect(missing.code == 2 && missing.errors.contains("cannot read nothing"), "\(missing)")
    }
}
