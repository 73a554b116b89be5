import Encoding
import Foundation
import Simulation
import TestKit
import Testing

/// `gatehouse setup` by options and by a file: its output, its refusals, and a gate that runs with the
/// result.
@Suite struct SetupCommandTests {
    private let folder: Scratch
    private static let pinout = Vectors.repository.appendingPathComponent("hardware/pinout.toml").path
    static let common = ["setup", "--config", "gate/gate.toml", "--pinout", pinout, "--root", "root"]

    init() throws {
        folder = try Scratch()
        try folder.write("gate/empty", "")
        try folder.write("root/etc/passwd", "root:x:0:0::/root:/bin/sh\n")
    }

    private func setup(_ words: String..., input: String = "") async throws -> Ending {
        try await folder.gatehouse(Self.common + words, input: input)
    }

    private var configuration: String? { try? folder.read("gate/gate.toml") }

    @Test func allThatIsMissingAtOnce() async throws {
        let ending = try await setup("--trust-bundle", "gates.bundle", "--pulse", "9s")
        #expect(ending.code == 2 && ending.output.isEmpty && ending.hasRemedy, "\(ending)")
        for words in [
            "--name is missing", "--board is missing", "--bundle-key is missing", "--pulse 9s is out of range",
        ] {
            #expect(ending.errors.contains("gatehouse: " + words), "\(words): \(ending)")
        }
        #expect(ending.errors.contains("what to do: Give --name North-Gate"), "\(ending)")
        #expect(try folder.names("gate") == ["empty"])
    }

    /// For each board: `config check` accepts the configuration, which has the lines of the pinout.
    @Test func everyBoard() async throws {
        for (board, chip) in [
            ("pi5", "pinctrl-rp1"), ("pi4", "pinctrl-bcm2711"), ("pi3", "pinctrl-bcm2835"), ("zero", "pinctrl-bcm2835"),
            ("none", ""),
        ] {
            let ending = try await setup("--name", "North", "--board", board, "--replace")
            #expect(ending.output.hasPrefix("configuration: "), "\(board): \(ending)")
            let check = try await folder.gatehouse("config", "check", "--json", "gate/gate.toml")
            #expect(check.code == 0 && check.errors.isEmpty, "\(board): \(check)")
            #expect(check.json.first?["gpio"]?["chip"]?.string == Text(chip))
            #expect(check.json.first?["gate"]?["line"]?.string == (chip.isEmpty ? "" : "GPIO17"))
        }
        let sim = try await setup("--name", "North", "--chip", "gpio-sim", "--replace")
        #expect(configuration?.contains("chip = \"gpio-sim\"") == true, "\(sim)")
    }

    @Test func itsExitCodeIsThatOfTheDoctor() async throws {
        try folder.write("root/etc/passwd", "keeper:x:\(getuid()):\(getgid())::/:/bin/sh\n")
        try folder.write("root/usr/lib/systemd/system/gatehouse.service", "[Service]\nUser=keeper\n")
        try folder.write("root/sys/class/rtc/rtc0/hctosys", "1\n")
        try await folder.exportSample()
        let words = [
            "--name", "North", "--board", "none", "--radio", "tcp://127.0.0.1:\(try closedPort())", "--display", "none",
        ]
        let ending = try await folder.gatehouse(
            Self.common + words + ["--trust-directory", "sample/trust", "--clock", "unset"])
        let doctor = try await folder.gatehouse("doctor", "--root", "root", "--config", "gate/gate.toml")
        // The time and the free disk space differ between the two runs.
        let texts = [ending.output, doctor.output].map { $0.replacing(/[0-9]+/, with: "0") }
        #expect(ending.code == doctor.code && doctor.code == 1 && texts[0].hasSuffix("\n" + texts[1]), "\(ending)")
        #expect(ending.output.contains("box.not-running") && ending.errors.isEmpty)
        // A finding that makes the gate useless leads to exit code 2.
        let bad = try await folder.gatehouse(
            Self.common + words + ["--clock", "unset", "--chip", "no-such", "--replace"])
        #expect(bad.code == 2 && bad.output.contains("--board") == false, "\(bad)")
    }

    @Test func existingFilesStay() async throws {
        _ = try await setup("--name", "North", "--board", "none")
        let first = try #require(configuration)
        let again = try await setup("--name", "South", "--board", "none")
        #expect(again.code == 2 && again.hasRemedy && again.errors.contains("--replace"), "\(again)")
        #expect(configuration == first)
        let same = try await setup("--name", "North", "--board", "none")
        #expect(same.output.contains("is unchanged"), "\(same)")
        let other = try await setup("--name", "South", "--board", "none", "--replace")
        #expect(other.output.contains("previous configuration: "), "\(other)")
        #expect(configuration?.contains("\"South\"") == true)
        #expect(try folder.read("gate/gate.toml.before-1") == first)
    }

    /// A file with paths relative to it; options take precedence.
    @Test func aFile() async throws {
        try await folder.exportSample()
        try FileManager.default.moveItem(atPath: folder.path("sample"), toPath: folder.path("card"))
        let file = try folder.write(
            "card/answers.toml", "name = \"North\"\nboard = \"pi4\"\ntrust-directory = \"trust\"\n")
        let ending = try await setup("--from", file, "--name", "South", "--board", "none")
        #expect(
            configuration?.contains("\"South\"") == true && configuration?.contains("pinctrl") == false, "\(ending)")
        #expect(try folder.names("gate/trust") == ["contexts", "did", "issuers.toml", "policy.toml"])
        #expect(FileManager.default.fileExists(atPath: file), "it stays")

        for (text, words) in [
            (
                "name = 7\nborad = \"pi4\"\n",
                ["bad.toml:1: name is a whole number", "bad.toml:2: borad is not a known key", "Did you mean board?"]
            ),
            ("name = \"a b\"\n", ["bad.toml:1: name is not a name", "bad.toml: board is missing"]),
            ("[name\n", ["bad.toml:1: is not TOML"]),
        ] {
            try folder.write("bad.toml", text)
            let bad = try await setup("--from", "bad.toml", "--replace")
            #expect(bad.code == 2 && bad.hasRemedy, "\(bad)")
            for word in words { #expect(bad.errors.contains(word), "\(word): \(bad)") }
        }
        let input = try await setup("--from", "-", "--replace", input: "name = \"Pipe\"\nboard = \"none\"\n")
        #expect(configuration?.contains("\"Pipe\"") == true, "\(input)")
        #expect(try await setup("--from", "absent.toml").code == 2)
    }

    @Test func anIssuerWithItsDocument() async throws {
        try await folder.exportSample()
        let issuers = try folder.read("sample/trust/issuers.toml")
        let id = try #require(issuers.components(separatedBy: "id = \"").dropFirst().first?.prefix { $0 != "\"" })
        let index = try folder.read("sample/trust/contexts/index.json")
        let contexts = try #require(JSON.parse(index).array).compactMap { entry -> String? in
            guard let url = entry["url"]?.string?.string else { return nil }
            return entry["file"]?.string.map { "\(url)=sample/trust/contexts/\($0)" } ?? url
        }
        let ending = try await folder.gatehouse(
            Self.common + ["--name", "N", "--board", "none", "--issuer", String(id)]
                + ["--issuer-type", "https://piyush7034.github.io/my-files/farmer.json#FarmerCredential"]
                + ["--issuer-document", "sample/trust/did/farmers.json"] + contexts.flatMap { ["--context", $0] })
        #expect(ending.output.contains("trust: the issuer \(id)"), "\(ending)")
        let verdict = try await folder.gatehouse(
            "verify", "--trust", "gate/trust", "--at", "2026-06-01T12:00:00Z", "sample/credential.json")
        #expect(verdict.code == 0, "\(verdict)")
        let wrong = try await setup(
            "--name", "N", "--board", "none", "--issuer", "nobody", "--issuer-type", "t", "--replace")
        #expect(wrong.code == 2 && wrong.errors.contains("--issuer cannot be pinned"), "\(wrong)")
    }

    /// From a bundle to a gate that admits a virtual phone.
    @Test(.tags(.realTime), .timeLimit(.minutes(3))) func theGateComesUp() async throws {
        try await folder.exportSample()
        let key = try await folder.gatehouse("trust", "keygen", "operator.key").lines.first ?? ""
        let bundle = try await folder.gatehouse(
            "trust", "bundle", "sample/trust", "--key", "operator.key", "--number", "1", "--output", "gates.bundle")
        #expect(bundle.code == 0, "\(bundle)")
        var phone = PhoneTraits.android14
        phone.patience = .seconds(3600)
        let credential = Array(try folder.read("sample/credential.json").utf8)
        let controller = try ControllerOnLoopback([
            Simulation.Visit("visitor", phone: phone, submission: .sealing(credential, seed: 1))
        ])
        defer { controller.stop() }
        let agent = try AgentOnLoopback()
        let ending = try await folder.gatehouse(
            Self.common + [
                "--name", "First-Gate", "--board", "none", "--clock", "unset", "--display", "none",
                "--radio", "tcp://127.0.0.1:\(controller.port)", "--trust-bundle", "gates.bundle", "--bundle-key", key,
                "--invitation", agent.invitation.compactText, "--allow-plain-http",
            ])
        #expect(ending.output.contains("trust: bundle 1, "), "\(ending)")
        #expect(try await folder.gatehouse("config", "check", "gate/gate.toml").code == 0)

        let folder = folder
        let run = try await Program.run(
            "timeout", ["100", Program.gatehouse, "run", "--config", "gate/gate.toml"], in: folder
        ) { id in
            var shown: String?
            for _ in 0..<1200 where controller.outcomes.isEmpty {
                let status = try await folder.gatehouse("agent", "list", "--json", "--config", "gate/gate.toml")
                let uri = (try? folder.errors())?.split(separator: "\n").compactMap { try? JSON.parse(String($0)) }
                    .last { $0["event"] == "advertising" }?["uri"]?.string?.string
                if let uri, uri != shown, status.json.first?["state"] == "connected" {
                    controller.show(uri)
                    shown = uri
                }
                try await Task.sleep(for: .milliseconds(50))
            }
            // A second setup next to the running service passes an invitation through the control socket.
            let second = try AgentOnLoopback("Second agent")
            let words = [
                "--name", "First-Gate", "--board", "none", "--radio", "tcp://127.0.0.1:\(controller.port)", "--replace",
                "--invitation", second.invitation.compactText, "--allow-plain-http",
            ]
            let again = try await folder.gatehouse(Self.common + words)
            #expect(again.output.contains("connected to Second agent as "), "\(again)")
            kill(id, SIGTERM)
        }
        #expect(run.code == 0, "\(run)")
        // The published credential is valid until that date.
        let isValid = Date().timeIntervalSince1970 < 1_798_848_000
        let records = try await folder.gatehouse("ledger", "list", "--json", "--config", "gate/gate.toml")
        #expect(records.output.contains(isValid ? "\"accepted\"" : "\"rejected\""), "\(records) \(run)")
    }

    /// An invitation without its scheme appears neither in the journal of the user who runs this nor in the
    /// answer.
    @Test func anInvitationWithoutItsSchemeIsNotPrinted() async throws {
        let secret = "eyJvbmNlIjoiNDcxMSJ9"
        for answer in ["agent.example/?oob=\(secret)", "agent.example/x?y=\(secret)"] {
            let ending = try await setup("--name", "N", "--board", "none", "--invitation", answer)
            #expect(ending.code == 2 && ending.hasRemedy && ending.errors.contains("--invitation "), "\(ending)")
            #expect(!ending.errors.contains(secret) && !ending.output.contains(secret), "\(ending)")
        }
        #expect(configuration == nil)
    }

    // MARK: - Refusals to write

    @Test func missingWriteAccessIsReportedFirst() async throws {
        let words = Self.common + ["--name", "N", "--board", "none"]
        try folder.setMode("gate", 0o500)
        defer { try? folder.setMode("gate", 0o700) }
        let ending = try await folder.confinedGatehouse(words)
        #expect(ending.code == 2 && ending.hasRemedy && ending.errors.contains("cannot be written below"), "\(ending)")
    }

    @Test func aFullDisk() async throws {
        let script = """
            mount -t tmpfs -o size=64k none gate 2>/dev/null || exit 77
            head -c 60000 /dev/zero > gate/ballast; cat /dev/zero > gate/more 2>/dev/null
            "$@"; echo "ended $?"; ls -A gate
            """
        let words = Self.common + ["--name", "N", "--board", "pi4"]
        let ending = try await Program.run(
            "unshare", ["-rm", "sh", "-c", script, "sh", Program.gatehouse] + words, in: folder)
        // This test is not possible where the user may not create a mount namespace.
        guard ending.code != 77, !ending.errors.contains("unshare:") else { return print("skipped: no name space") }
        #expect(ending.output == "ended 2\nballast\nmore\nstate\ntrust\n", "\(ending)")
        #expect(ending.hasRemedy && ending.errors.contains("No space left on device"), "\(ending)")
    }

    // MARK: - The service

    /// Makes a systemctl for the test; its arguments are written to the file `calls`.
    private func systemctl(_ script: String) async throws -> String {
        try await folder.programs(["systemctl": "echo \"$@\" >> \(folder.path("calls"))\n\(script)"])
    }

    private func starting(_ script: String, _ words: String...) async throws -> Ending {
        let path = try await systemctl(script)
        let all = Self.common + ["--name", "N", "--board", "none", "--replace"] + words
        return try await Program.run(Program.gatehouse, all, in: folder, environment: ["PATH": path])
    }

    @Test func theServiceIsStartedWhenAsked() async throws {
        let quiet = try await starting("exit 0")
        #expect(!FileManager.default.fileExists(atPath: folder.path("calls")), "not below --root: \(quiet)")
        let started = try await starting("exit 0", "--start")
        #expect(started.output.contains("starting the service\n"), "\(started)")
        let options = "--no-ask-password --no-pager "
        #expect(
            try folder.read("calls").split(separator: "\n").map(String.init)
                == ["daemon-reload", "enable gatehouse.service", "restart gatehouse.service"].map { options + $0 })
        let failed = try await starting("case $3 in restart) echo 'Job failed' >&2; exit 1;; esac", "--start")
        #expect(failed.code == 2 && failed.hasRemedy, "\(failed)")
        #expect(failed.errors.contains("systemctl restart gatehouse.service ended with 1: Job failed"), "\(failed)")
        #expect(failed.output.contains("box.not-running"), "the doctor follows: \(failed)")
        let none = try await starting("exit 0", "--no-start")
        #expect(!none.output.contains("starting"), "\(none)")
    }

    /// Making an image starts no service on the machine that makes it.
    @Test func anImageStartsNoServiceOnThisMachine() async throws {
        try FileManager.default.createDirectory(
            atPath: folder.path("image/etc"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let pinout = Vectors.repository.appendingPathComponent("hardware/pinout.toml").path
        let words = [
            "setup", "--yes", "--name", "N", "--board", "none", "--display", "framebuffer", "--radio", "hci0",
            "--pinout", pinout,
        ]
        let path = try await systemctl("exit 0")
        let ending = try await Program.run(
            Program.gatehouse, words, in: folder,
            environment: ["PATH": path, "GATEHOUSE_ROOT": folder.path("image")])
        #expect(!FileManager.default.fileExists(atPath: folder.path("calls")), "\(ending)")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path("image"))
        #expect(files.contains("etc/gatehouse/gatehouse.toml"), "\(ending)")
    }

    // MARK: - The boot partition

    private func boot() async throws -> Ending {
        try await folder.gatehouse(Self.common + ["--from-boot"])
    }

    @Test func theBootPartition() async throws {
        #expect(try await boot().code == 0, "without a file there is nothing to do")
        try folder.write(
            "root/boot/firmware/gatehouse-setup.toml", "name = \"Card\"\nboard = \"none\"\npulse = \"1h\"\n")
        let wrong = try await boot()
        #expect(wrong.code == 2 && configuration == nil, "\(wrong)")
        let told = try folder.read("root/boot/firmware/gatehouse-setup.result.txt")
        #expect(
            told.contains("gatehouse-setup.toml:3: pulse 3600s is out of range") || told.contains("is out of range"),
            "\(told)")

        try folder.write("root/boot/gatehouse-setup.toml", "name = \"Card\"\nboard = \"none\"\n")
        let ending = try await boot()
        #expect(ending.code == 0 && configuration?.contains("\"Card\"") == true, "\(ending)")
        let result = try folder.read("root/boot/gatehouse-setup.result.txt")
        #expect(result.contains("The gate is set up") && result.contains("Findings of gatehouse doctor"), "\(result)")
        #expect(!result.contains("\u{1B}") && !result.contains("?["), "\(result)")
        #expect(try folder.names("root/boot") == ["firmware", "gatehouse-setup.result.txt"])
        let mixed = try await folder.gatehouse(Self.common + ["--from-boot", "--name", "N"])
        #expect(mixed.code == 2 && mixed.errors.contains("--from-boot"), "\(mixed)")
    }

    /// The setup is killed at random moments, and started again until it completes: the gate is set up, once,
    /// and nothing is left over.
    @Test(.tags(.realTime), .timeLimit(.minutes(5))) func killedAtAnyMoment() async throws {
        let invitation = try AgentOnLoopback().invitation.compactText
        let answers = "name = \"Card\"\nboard = \"pi4\"\ninvitation = \"agent.json\"\nallow-plain-http = true\n"
        func lay() throws {
            try? FileManager.default.removeItem(atPath: folder.path("gate"))
            try? FileManager.default.removeItem(atPath: folder.path("root/boot"))
            try folder.write("gate/empty", "")
            try folder.write("root/boot/gatehouse-setup.toml", answers)
            try folder.write("root/boot/agent.json", invitation)
        }
        try lay()
        let begun = ContinuousClock.now
        #expect(try await boot().code == 0)
        var whole = begun.duration(to: .now)
        let wanted = try #require(configuration)
        var cuts = 0
        for number in 1...40 {
            try lay()
            let words = Self.common + ["--from-boot"]
            let pause = whole * (number * 7 % 40) / 36
            let ending = try await Program.run(Program.gatehouse, words, in: folder) { id in
                try await Task.sleep(for: pause)
                kill(id, SIGKILL)
            }
            // When the machine has become faster or less busy, the setup takes less time than measured
            // before.
            if ending.code == -SIGKILL { cuts += 1 } else { whole = min(whole, pause) }
            let hasFile = (try? folder.read("root/boot/gatehouse-setup.toml")) == answers
            #expect(hasFile || configuration == wanted, "after \(pause)")
            let next = try await boot()
            #expect(next.code == 0 && configuration == wanted, "after \(pause): \(next)")
            #expect(try folder.names("root/boot") == ["gatehouse-setup.result.txt"], "after \(pause)")
            let names = ["agent.invitation", "empty", "gate.toml", "state", "trust"]
            #expect(try folder.names("gate") == names, "after \(pause)")
            #expect(try folder.names("gate/trust") == ["issuers.toml", "policy.toml"], "after \(pause)")
            #expect(try folder.read("gate/agent.invitation") == invitation)
        }
        #expect(cuts > 5, "most came in time: \(cuts)")
    }
}

extension Scratch {
    /// Returns the names in a folder, sorted.
    fileprivate func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted()
    }
}
