import Commissioning
import Credentials
import Encoding
import Features
import Foundation
import GateService
import LinuxIO
import TestKit
import Testing
import TrustFiles

@testable import Settings

@Suite("Deployment")
struct DeployTests {
    private let deploy = Vectors.repository.appendingPathComponent("deploy")

    private func text(_ name: String) throws -> String {
        String(decoding: try Vectors.bytes(deploy.appendingPathComponent(name)), as: UTF8.self)
    }

    @Test("the example configuration loads, names every key there is, and shows the defaults")
    func example() throws {
        let document = try ConfigurationDocument(try Vectors.bytes(deploy.appendingPathComponent("gatehouse.toml")))
        // The example cannot contain an empty list of sections; a comment shows it.
        #expect(
            document.leaves.sorted()
                == Configuration.keys.filter {
                    !["agent.copy", "agent.answer", "display.also", "door.input", "door.schedule"].contains($0)
                }.sorted())
        let example = try Configuration.load(deploy.appendingPathComponent("gatehouse.toml").path)
        let bare = try Configuration.parse(
            Array("[kiosk]\nname = \"North-Gate\"".utf8), file: "", folder: "/etc/gatehouse")
        for member in bare.effective.object?.members ?? [] where member.name != "gpio" {
            for value in member.value.object?.members ?? [] where value.value.string?.isEmpty != true {
                #expect(example.effective[member.name]?[value.name] == value.value, "\(member.name).\(value.name)")
            }
        }
    }

    @Test("the example of issuers.toml is read unchanged, and so is every key in its comments")
    func issuers() throws {
        let folder = try TestFolder()
        let example = try text("issuers.toml")
        // "# key = …" mentions a key, and the next lines may continue its list; other comments begin with a
        // word.
        var isList = false
        let all = example.components(separatedBy: "\n").map { line -> String in
            let content = line.hasPrefix("# ") ? String(line.dropFirst(2)) : line
            let isKey = content.prefix { $0.isLowercase || $0 == "-" }.count > 2 && content.contains(" = ")
            let mentioned = isKey || isList
            if isKey { isList = content.hasSuffix("[") }
            if content == "]" { isList = false }
            return mentioned ? content : line
        }
        for (name, content) in [("as it stands", example), ("with every key", all.joined(separator: "\n"))] {
            try Data(content.utf8).write(to: folder.url.appendingPathComponent("issuers.toml"))
            let directory = try TrustDirectory(path: folder.url.path)
            #expect(directory.material.issuers.map(\.groups) == [["works"]], "\(name)")
        }
        let directory = try TrustDirectory(path: folder.url.path)
        let issuer = try #require(directory.material.issuers.first)
        #expect(issuer.keys?.count == 1 && issuer.roots.count == 1 && issuer.types?.count == 1)
        #expect(issuer.tokenSignerUsages?.count == 1)
        #expect(issuer.notAfter != nil && issuer.documentMaxAge != nil && issuer.pinnedDocuments.count == 1)
        #expect(directory.material.revokedKeys.count == 1)
    }

    @Test("every key of the example is explained right above it or above its group")
    func explained() throws {
        var isExplained = false
        for line in try text("gatehouse.toml").split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("#") { isExplained = true }
            if line.isEmpty || line.hasPrefix("[") { isExplained = false }
            if line.contains(" = "), !line.hasPrefix("#") { #expect(isExplained, "\(line)") }
        }
    }

    @Test("the unit of the set-up runs before the gate, where a file is, and may write where it has to")
    func setupUnit() throws {
        let lines = Set(try text("gatehouse-setup.service").split(separator: "\n").map(String.init))
        for folder in SetupBoot.folders {
            for name in [SetupBoot.name, SetupBoot.doneName] {
                #expect(lines.contains("ConditionPathExists=|\(folder)/\(name)"), "\(folder)/\(name)")
            }
        }
        for line in [
            "Type=oneshot", "ExecStart=/usr/bin/gatehouse setup --from-boot", "ProtectSystem=strict",
            "Before=gatehouse.service bluetooth.service chrony.service",
            "ReadWritePaths=-/etc/gatehouse -/etc/systemd/system -/etc/chrony/sources.d -/var/lib/gatehouse -/boot",
            "SystemCallFilter=@chown @setuid",
            "CapabilityBoundingSet=CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_SETUID CAP_SETGID",
            "WantedBy=multi-user.target",
        ] { #expect(lines.contains(line), "\(line)") }
        #expect(lines.contains { $0.hasPrefix("TimeoutStartSec=") }, "nobody waits for ever")
    }

    @Test("the unit of the nightly backup, as the document has it, ends in any case")
    func backupUnit() throws {
        let document = try text("../docs/maintenance.md")
        let unit = try #require(document.components(separatedBy: "gatehouse-backup.service\n").dropFirst().first)
        let lines = unit.components(separatedBy: "```")[0].split(separator: "\n")
        #expect(lines.contains("Type=oneshot") && lines.contains("TimeoutStartSec=1h"), "\(lines)")
    }

    @Test("the unit has what the program relies on")
    func unit() throws {
        let lines = Set(try text("gatehouse.service").split(separator: "\n").map(String.init))
        for line in [
            "Type=notify", "WatchdogSec=30", "User=gatehouse", "CapabilityBoundingSet=",
            "Wants=gatehouse-radio.socket gatehouse-radio-reset.path", "After=network.target gatehouse-radio.socket",
            "SupplementaryGroups=gpio", "StateDirectory=gatehouse",
            "RuntimeDirectory=gatehouse", "RuntimeDirectoryPreserve=yes", "RestartPreventExitStatus=2",
            "Restart=always", "ExecStopPost=-/usr/bin/gatehouse release-lines --config /etc/gatehouse/gatehouse.toml",
            "ExecStart=/usr/bin/gatehouse run --config /etc/gatehouse/gatehouse.toml", "LimitCORE=0",
            "CoredumpFilter=0x0", "MemorySwapMax=0", "MemoryDenyWriteExecute=yes",
            // The priority of the relay's thread is the highest one that the unit allows.
            "RestrictRealtime=no", "LimitRTPRIO=1", "LimitRTTIME=500ms", "SystemCallFilter=~@privileged @resources",
            "SystemCallFilter=sched_setscheduler",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        // These settings of a unit would deny the service the radio.
        for line in ["PrivateNetwork=yes", "PrivateUsers=yes", "PrivateDevices=yes"] {
            #expect(!lines.contains(line), "\(line)")
        }
        // `Conflicts=` works in both directions: a start of bluetoothd would stop the gate.
        #expect(!lines.contains { $0.hasPrefix("Conflicts=") })
        #expect(
            try text("bluetooth-kiosk.conf").contains("\n[Unit]\nConditionPathExists=!/etc/gatehouse/gatehouse.toml\n"))
        // The opener has this right in place of the service, and listens at the socket that the program
        // connects to.
        #expect(lines.contains("RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6"))
        let socket = Set(try text("gatehouse-radio.socket").split(separator: "\n").map(String.init))
        let place = RadioOpener.path(beside: "/run/gatehouse")
        for line in ["ListenSequentialPacket=\(place)", "SocketUser=gatehouse", "SocketMode=0600"] {
            #expect(socket.contains(line), "\(line)")
        }
        for file in ["gatehouse-radio.service", "own-radio.conf"] {
            let lines = Set(try text(file).split(separator: "\n").map(String.init))
            #expect(lines.contains("CapabilityBoundingSet=CAP_NET_ADMIN"), "\(file)")
            #expect(
                lines.contains { $0.hasPrefix("RestrictAddressFamilies=") && $0.contains("AF_BLUETOOTH") }, "\(file)")
        }
    }

    /// A user of Bluetooth on this machine finds out why bluetoothd was stopped.
    @Test(
        "a bluetoothd that the unit stops is told in the log, once; where none runs nothing is said",
        arguments: [("active", true), ("activating", true), ("inactive", false), ("failed", false), ("", false)])
    func stoppedDaemon(_ state: String, _ isTold: Bool) throws {
        let line = try text("gatehouse.service").split(separator: "\n").first {
            $0.hasPrefix("ExecStartPre=-+/bin/sh -c '")
        }
        let script = try #require(line).dropFirst("ExecStartPre=-+/bin/sh -c '".count).dropLast()
        let folder = try TestFolder()
        try folder.program("systemctl", "echo \"$@\" >> \(folder.url.path)/called; [ $1 = stop ] || echo '\(state)'")
        // systemd replaces two dollar signs by one.
        let run = try ProgramRun(
            "/bin/sh", ["-c", String(script.replacing("$$", with: "$"))],
            environment: ["PATH": "\(folder.url.path):/usr/bin:/bin", "RUNTIME_DIRECTORY": folder.url.path])
        #expect(run.status == 0 && run.output.isEmpty, "\(run.output)")
        #expect(folder.text("called") == "is-active bluetooth.service\nstop bluetooth.service\n")
        let log = try LogSink(.file(folder.url.appendingPathComponent("log").path))
        for _ in 0..<2 { StoppedDaemon.tell(log, in: folder.url.path) }
        #expect(log.flush(within: .seconds(60)))
        let told = folder.text("log")?.split(separator: "\n") ?? []
        #expect(told.count == (isTold ? 1 : 0))
        if isTold { #expect(told[0].contains("\"level\":\"warning\",\"event\":\"radio.bluetoothd-stopped\"")) }
    }

    /// The log file of the documents has a writable path: a log at a path that the unit leaves read-only was
    /// dropped.
    @Test("the log file that the documents name can be written, and no other user reads it")
    func logFile() throws {
        let guide = Vectors.repository.appendingPathComponent("docs/maintenance.md")
        let log = "/var/log/gatehouse/log.jsonl"
        #expect(String(decoding: try Vectors.bytes(guide), as: UTF8.self).contains("\n\(log) {\n"))
        let unit = UnitFile([try text("gatehouse.service")])
        #expect(unit.isReadOnly && unit.permits(log, writing: true))
        // The unit must not create the folder. systemd would set the folder's owner and mode at each start, which fails
        // on a read-only root.
        #expect(!unit.makes(log))
        #expect(try text("gatehouse.tmpfiles").contains("\nd /var/log/gatehouse 0700 gatehouse gatehouse -\n"))
    }

    @Test("the folder of the credentials is made before something is put there")
    func credentials() throws {
        let unit = try text("gatehouse.service")
        let made = try #require(unit.range(of: "\n#   install -d -m 0700 /etc/credstore.encrypted\n"))
        let used = try #require(unit.range(of: "systemd-creds encrypt"))
        #expect(made.upperBound <= used.lowerBound)
    }

    @Test("root encrypts no file of the service's by its name, where the service's account may have put a link")
    func credentialsOfTheService() throws {
        let lines = try text("gatehouse.service").split(separator: "\n").filter { $0.contains("systemd-creds encrypt") }
        #expect(lines.count == 3 && lines.allSatisfy { $0.contains("-key - /etc/credstore.encrypted/") })
        let files = lines.filter { $0.contains("/var/lib/gatehouse") }
        #expect(files.count == 2 && files.allSatisfy { $0.hasPrefix("#   sudo -u gatehouse cat /var/lib/gatehouse/") })
    }

    @Test("a purge takes the folders of the gates that are configured, and nothing else of that name")
    func purge() throws {
        let folder = try TestFolder()
        let root = folder.url.appendingPathComponent("root").path
        let own = [
            "etc/gatehouse/gatehouse.toml", "etc/gatehouse/out.toml", "etc/gatehouse/trust/issuers.toml",
            "var/lib/gatehouse/gatehouse.db", "var/lib/gatehouse-out/gatehouse.db", "run/gatehouse/status.json",
            "run/gatehouse-out/invitation.png", "run/gatehouse-out-radio.sock", "var/log/gatehouse/log.jsonl",
        ]
        let others = [
            "var/lib/gatehouse-update/confirmed", "var/lib/gatehouse-backups/gatehouse.db", "run/gatehouse-other/x",
            "var/lib/gatehouses/x", "etc/other/gatehouse.toml", "etc/gatehouse.toml",
        ]
        for path in own + others {
            let url = URL(fileURLWithPath: root + "/" + path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("x".utf8).write(to: url)
        }
        // Stubs replace the machine's own tools.
        for name in ["deb-systemd-helper", "systemctl"] { try folder.program(name, "exit 0") }
        let environment = ["DPKG_ROOT": root, "PATH": "\(folder.url.path):/usr/bin:/bin"]
        func left() throws -> Set<String> {
            Set(try FileManager.default.subpathsOfDirectory(atPath: root).filter { (own + others).contains($0) })
        }
        let script = deploy.appendingPathComponent("deb/postrm").path
        // Checked before the script runs: no line of it may touch folders of this machine outside of
        // DPKG_ROOT.
        let bare = try text("deb/postrm").split(separator: "\n").filter { line in
            !line.hasPrefix("    #") && [" /etc", " /var", " /run"].contains { line.contains($0) }
        }
        try #require(bare.allSatisfy { $0.contains("[ -d /run/systemd/system ]") }, "\(bare)")
        let removal = try ProgramRun("/bin/sh", [script, "remove"], environment: environment)
        #expect(removal.status == 0 && removal.output.isEmpty, "\(removal.output)")
        #expect(try left() == Set(own + others))
        for _ in 0..<2 {
            let purge = try ProgramRun("/bin/sh", [script, "purge"], environment: environment)
            #expect(purge.status == 0 && purge.output.isEmpty, "\(purge.output)")
            #expect(try left() == Set(others))
            let names = try FileManager.default.contentsOfDirectory(atPath: root + "/var/lib").sorted()
            #expect(names == ["gatehouse-backups", "gatehouse-update", "gatehouses"])
        }
    }

    @Test(
        "systemd finds no fault in the units, and their exposure stays low",
        arguments: [("gatehouse", 17), ("gatehouse-radio", 17), ("gatehouse-radio-reset", 21), ("gatehouse-setup", 23)])
    func exposure(_ name: String, _ most: Int) throws {
        let analyze = "/usr/bin/systemd-analyze"
        guard FileManager.default.isExecutableFile(atPath: analyze) else {
            print("systemd-analyze is absent: the unit's exposure is not checked")
            return
        }
        let unit = deploy.appendingPathComponent("\(name).service").path
        let security = try ProgramRun(
            analyze, ["security", "--offline=true", "--no-pager", "--threshold=\(most)", unit])
        #expect(security.status == 0, "\(security.output.suffix(300))")
        let verify = try ProgramRun(analyze, ["verify", "--man=no", "--recursive-errors=no", unit])
        // The program is not installed on the test machine; everything else must be in order.
        let faults = verify.output.split(separator: "\n").filter {
            !$0.contains("/usr/bin/gatehouse is not executable")
        }
        #expect(faults == [])
    }

    @Test(
        "bootstrap: nothing missing means nothing done, a missing package without root means the exact line and exit 2")
    func bootstrap() throws {
        let script = deploy.appendingPathComponent("bootstrap").path
        let folder = try TestFolder()
        let path = ["PATH": "\(folder.url.path):/usr/bin:/bin"]
        try folder.program("swift", "echo 'Swift version 6.3.1 (swift-6.3.1-RELEASE)'")
        try folder.program("dpkg", "echo 'Status: install ok installed'")
        try folder.program("apt-get", "echo apt-get \"$@\" >> \(folder.url.path)/called")
        try folder.program("id", "echo 1000")
        let complete = try ProgramRun(script, [], environment: path)
        #expect(complete.status == 0 && complete.output.isEmpty)

        let state = "case $2 in libsodium-dev) echo 'Status: deinstall ok config-files';; libqrencode-dev) exit 1;; "
        try folder.program("dpkg", state + "*) echo 'Status: install ok installed';; esac")
        let missing = try ProgramRun(script, [], environment: path)
        #expect(missing.status == 2)
        let line = "sudo apt-get install --yes --no-install-recommends libsodium-dev libqrencode-dev"
        #expect(missing.output.split(separator: "\n").map(String.init).contains(line))
        #expect(folder.text("called") == nil)

        try folder.program("id", "echo 0")
        let installed = try ProgramRun(script, [], environment: path)
        #expect(installed.status == 0)
        let calls = folder.text("called")?.split(separator: "\n") ?? []
        #expect(calls.count == 2)
        #expect(calls.first?.contains(" update") == true)
        #expect(calls.last?.hasSuffix("libsodium-dev libqrencode-dev") == true && calls.last?.contains("--yes") == true)
    }

    @Test(
        "bootstrap refuses an old Swift and accepts a newer one",
        arguments: [
            ("Swift version 6.2.9 (x)", 2), ("Swift version 5.10 (x)", 2), ("nonsense", 2),
            ("Apple Swift version 6.3 (x)", 0), ("Swift version 6.10 (x)", 0), ("Swift version 7.0-dev", 0),
        ])
    func swiftVersion(_ answer: String, _ status: Int32) throws {
        let folder = try TestFolder()
        try folder.program("swift", "echo '\(answer)'")
        try folder.program("dpkg", "echo 'Status: install ok installed'")
        let run = try ProgramRun(
            deploy.appendingPathComponent("bootstrap").path, [],
            environment: ["PATH": "\(folder.url.path):/usr/bin:/bin"])
        #expect(run.status == status)
    }
}
