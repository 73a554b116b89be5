import Foundation
import TestKit
import Testing

/// Each command that stands in a block of the documents is run: by this test, or by what the table below names.
@Suite struct DocumentCommandTests {
    private let root = Vectors.repository

    /// A block of `sh` in a document.
    private struct Block {
        let document: String
        let commands: [String]
    }

    /// Documents whose blocks are run here, from top to bottom, in a folder that has the files which they name.
    private static let isRun: Set = ["docs/formats.md", "docs/policy.md", "docs/trust.md"]

    /// How a command begins that is not run here; the file that runs what it does, and a word in that file.
    private static let isRunElsewhere: [(start: String, file: String, word: String)] = [
        ("make deb DEB=.", "Tests/ApplianceTests/InstallationTests.swift", "deb/build"),
        ("make demo", "Tests/CommandTests/DemoCommandTests.swift", "--scenario"),
        ("make test", ".ci/run", "make test"), ("make fuzz", ".ci/run", "make fuzz"),
        ("make format", "Makefile", "swift format -i"),
        ("swift build", "Makefile", "swift build $(SWIFT_FLAGS) --build-tests"),
        ("swift test", "Tests/Page/run", "--skip-build --disable-xctest"),
        ("example-peripheral", "Tests/PeerTests/ExampleTests.swift", "example-peripheral"),
        ("example-verifier", "Tests/PeerTests/ExampleTests.swift", "example-verifier"),
        ("sudo apt install ./gatehouse_*.deb", "Tests/Package/run", "apt-get"),
        ("sudo gatehouse setup", "Tests/CommandTests/SetupCommandTests.swift", "setup"),
        ("sudo gatehouse door ", "Tests/CommandTests/DoorCommandTests.swift", "door"),
        (
            "journalctl -u gatehouse -o cat --since -1h | sudo gatehouse report",
            "Tests/CommandTests/ReportCommandTests.swift", "--log"
        ),
        ("gatehouse config bundle", "Tests/CommandTests/FleetCommandTests.swift", "bundle"),
        ("gatehouse config import", "Tests/CommandTests/FleetCommandTests.swift", "import"),
        ("gatehouse backup", "Tests/CommandTests/BackupCommandTests.swift", "backup"),
        ("gatehouse restore", "Tests/CommandTests/BackupCommandTests.swift", "restore"),
        ("gatehouse ledger ", "Tests/CommandTests/LedgerProofTests.swift", "export"),
        ("gatehouse trust ", "Tests/CommandTests/TrustCommandTests.swift", "keygen"),
        ("sudo -u gatehouse gatehouse trust import", "Tests/CommandTests/ExpiryCommandTests.swift", "import"),
        ("gatehouse agent ", "Tests/CommandTests/AgentServiceTests.swift", "connect"),
        ("gatehouse clock ", "Tests/CommandTests/ClockCommandTests.swift", "clock"),
        ("sudo gatehouse clock ", "Tests/CommandTests/ClockCommandTests.swift", "accept"),
        ("sudo -u gatehouse gatehouse clock ", "Tests/CommandTests/ClockCommandTests.swift", "accept"),
        ("mv /var/lib/gatehouse/gatehouse.db.agent-key", "Tests/CommandTests/MaintenanceTests.swift", ".agent-key.old"),
        ("mv /var/lib/gatehouse/gatehouse.db.witness-key", "Tests/CommandTests/MaintenanceTests.swift", ".witness-key"),
        ("rm /var/lib/gatehouse/gatehouse.db.agent-key", "Tests/CommandTests/MaintenanceTests.swift", "removeItem"),
        ("systemctl start gatehouse", "Tests/Package/run", "systemctl start gatehouse"),
        ("systemctl stop gatehouse", "Tests/Package/run", "systemctl disable --quiet --now gatehouse"),
        ("systemctl restart gatehouse", "Tests/Unit/run", "systemctl restart gatehouse"),
        ("journalctl -u gatehouse", "Tests/Unit/gate.py", "journalctl"),
        ("install -D -m 0644 gatehouse.gpg", "deploy/apt/check", "gpg"),
        ("install -m 0644 gatehouse.sources", "deploy/apt/check", "apt-get"),
        ("apt-get update && apt-get install gatehouse", "deploy/apt/check", "apt-get update"),
        ("sudo systemctl restart gatehouse", "Tests/Unit/run", "systemctl restart gatehouse"),
        ("sudo gatehouse config check --here", "Tests/CommandTests/DoctorCommandTests.swift", "--here"),
        ("sudo gatehouse doctor", "Tests/CommandTests/DoctorCommandTests.swift", "doctor"),
        ("sudo gatehouse agent ", "Tests/CommandTests/AgentServiceTests.swift", "connect"),
        ("sudo gatehouse status", "Tests/PeerTests/StatusTests.swift", "\"status\""),
        ("sudo gatehouse ledger ", "Tests/CommandTests/LedgerCommandTests.swift", "verify"),
        ("gatehouse reasons", "Tests/CommandTests/ReasonsCommandTests.swift", "reasons"),
        ("gatehouse hardware", "Tests/CommandTests/HardwareCommandTests.swift", "hardware"),
        ("sudo -u gatehouse gatehouse sticker", "Tests/CommandTests/StickerCommandTests.swift", "--png"),
        ("createdb", "Tests/Peers/acapy/database", "schema.sql"),
        ("PYTHONPATH=deploy/acapy aca-py start", "Tests/PeerTests/AgentScene.swift", "verification_report"),
    ]

    /// Commands that nothing here runs, and why.
    private static let isNotRun: [(start: String, reason: String)] = [
        ("sudo systemctl enable --now gatehouse@", "units of a second gate were not tried under a systemd"),
        ("rm /var/lib/gatehouse/sticker.key", "takes files away, which the service tells as fault.sticker"),
        ("sudo mkdir -p /etc/systemd/timesyncd.conf.d", "Debian's clock, which a test must not set"),
        ("printf '[Time]", "Debian's clock, which a test must not set"),
        ("sudo timedatectl", "Debian's clock, which a test must not set"),
        ("timedatectl", "Debian's clock, which a test must not set"),
        ("sudo systemctl restart systemd-timesyncd", "Debian's clock, which a test must not set"),
        ("sudo hwclock", "a battery-backed clock, which no machine of the tests has"),
        ("sudo apt-get remove fake-hwclock", "a package of Raspberry Pi OS"),
        ("date -u", "Debian's own"),
    ]

    /// The blocks of all documents but the pages that the program makes.
    private func blocks() throws -> [Block] {
        let here = try FileManager.default.contentsOfDirectory(atPath: root.path)
        let below = ["docs", "hardware", "deploy", "Examples"].flatMap { folder -> [String] in
            let entries = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
            return (entries?.compactMap { $0 as? String } ?? []).map { folder + "/" + $0 }
        }
        let documents = (here + below).filter { $0.hasSuffix(".md") && !$0.hasPrefix("docs/reference/") }.sorted()
        var blocks: [Block] = []
        for document in documents {
            let text = try String(contentsOf: root.appendingPathComponent(document), encoding: .utf8)
            for (number, part) in text.components(separatedBy: "\n```").enumerated() where number % 2 == 1 {
                let language = part.prefix { $0 != "\n" }
                let lines = part.dropFirst(language.count).replacing("\\\n", with: " ").components(separatedBy: "\n")
                if language == "sh" {
                    let commands = lines.map(Self.withoutComment).filter { !$0.isEmpty }
                    blocks.append(Block(document: document, commands: commands))
                } else if language.isEmpty {
                    let starts = ["sudo ", "gatehouse ", "make ", "swift ", "systemctl ", "apt"]
                    let isShell = lines.contains { line in starts.contains(where: line.hasPrefix) }
                    #expect(!isShell, "\(document): a block of commands begins with ```sh: \(lines.prefix(2))")
                }
            }
        }
        return blocks
    }

    private static func withoutComment(_ line: String) -> String {
        let end = line.range(of: " #")?.lowerBound ?? line.endIndex
        return (line.hasPrefix("#") ? "" : String(line[..<end])).trimmingCharacters(in: .whitespaces)
    }

    @Test func everyCommandIsRunSomewhere() throws {
        let blocks = try blocks()
        #expect(blocks.count >= 10)
        var used: Set<String> = []
        for block in blocks where !Self.isRun.contains(block.document) {
            for command in block.commands {
                let starts = Self.isRunElsewhere.map(\.start) + Self.isNotRun.map(\.start)
                if let start = starts.first(where: command.hasPrefix) {
                    used.insert(start)
                } else {
                    Issue.record("\(block.document): no test runs: \(command)")
                }
            }
        }
        let unused = (Self.isRunElsewhere.map(\.start) + Self.isNotRun.map(\.start)).filter { !used.contains($0) }
        #expect(unused.isEmpty, "rows without a command in the documents: \(unused)")
        for row in Self.isRunElsewhere {
            let file = try? String(contentsOf: root.appendingPathComponent(row.file), encoding: .utf8)
            #expect(file?.contains(row.word) == true, "\(row.file): \(row.word)")
        }
    }

    /// A start that goes well says nothing of what the service then did with what is removed.
    @Test func noBlockRemovesBehindAStart() throws {
        for block in try blocks() {
            let start = block.commands.firstIndex { $0.contains("systemctl start") || $0.contains("systemctl restart") }
            let behind = start.map { Array(block.commands[$0...]) } ?? []
            #expect(!behind.contains { $0.contains("rm ") || $0.contains("-delete") }, "\(block.document): \(behind)")
        }
    }

    /// `ledger export` writes to standard output: on a terminal the records would be gone.
    @Test func exportsGoToAFile() throws {
        let exports = try blocks().flatMap(\.commands).filter { $0.contains("gatehouse ledger export") }
        #expect(exports.count >= 4 && exports.allSatisfy { $0.contains(" > ") }, "\(exports)")
    }

    /// `pass.json`, `trust`, `policy.toml` and what else the documents name.
    private func prepared() async throws -> Scratch {
        let folder = try Scratch()
        #expect(try await folder.gatehouse("demo", "--export", "sample").code == 0)
        let (files, vectors) = (FileManager.default, root.appendingPathComponent("Tests/Vectors/vc/generated"))
        for (from, to) in [
            (folder.url.appendingPathComponent("sample/credential.json"), "pass.json"),
            (folder.url.appendingPathComponent("sample/trust"), "trust"),
            (root.appendingPathComponent("deploy/policy.toml"), "policy.toml"),
            (vectors.appendingPathComponent("roots/works-root.pem"), "works-ca.pem"),
            (vectors.appendingPathComponent("status/clear.json"), "list.json"),
        ] { try files.copyItem(at: from.resolvingSymlinksInPath(), to: URL(fileURLWithPath: folder.path(to))) }
        let key = "z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"
        try folder.write(
            "works.json",
            """
            {"id": "did:web:works.example", "assertionMethod": ["did:web:works.example#1"], "verificationMethod": [{
            "id": "did:web:works.example#1", "type": "Ed25519VerificationKey2020", "controller": "did:web:works.example",
            "publicKeyMultibase": "\(key)"}]}
            """)
        try folder.write(
            "pass-v1.jsonld", "{\"@context\": {\"StaffPass\": \"https://works.example/ns#StaffPass\"}}\n")
        // A gate that takes bundles of the operator's key, which is made on the way.
        try folder.write("bin/gatehouse", "#!/bin/sh\nexec \"\(Program.gatehouse)\" \"$@\"\n")
        try folder.write("bin/sudo", "#!/bin/sh\nexec \"$@\" --config gate.toml\n")
        for name in ["gatehouse", "sudo"] {
            try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path("bin/" + name))
        }
        return folder
    }

    @Test(arguments: isRun) func theCommandsOf(_ document: String) async throws {
        let folder = try await prepared()
        let path = folder.path("bin") + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        var key = ""
        var count = 0
        for command in try blocks().filter({ $0.document == document }).flatMap(\.commands) {
            count += 1
            let line = command.replacingOccurrences(of: "--key KEY", with: "--key " + key)
            let ending = try await Program.run("sh", ["-c", line], in: folder, environment: ["PATH": path])
            // 1: something should be looked after, such as a credential that is over by now.
            let mayTell = [
                "gatehouse verify", "gatehouse trust verify", "gatehouse trust needs", "gatehouse policy check",
            ]
            #expect(
                ending.code == 0 || ending.code == 1 && mayTell.contains(where: line.hasPrefix), "\(line): \(ending)")
            guard line.contains("keygen") else { continue }
            key = ending.lines.first ?? ""
            try folder.write(
                "gate.toml",
                "[kiosk]\nname = \"A\"\n[trust]\nstate = \"state\"\nbundleKeys = [\"\(key)\"]\n")
        }
        #expect(count > 0)
    }
}
