import Encoding
import Foundation
import TestKit
import Testing

/// The instructions of `docs/maintenance.md` and `docs/updates.md` for an operator.
@Suite(.timeLimit(.minutes(5))) struct MaintenanceTests {
    private let folder: Scratch
    private let configuration: String

    init() throws {
        folder = try Scratch()
        configuration = try folder.configuration(port: try closedPort(), more: "[log]\npath = \"log.jsonl\"\n")
    }

    private var log: [JSON] {
        let text = (try? folder.read("log.jsonl")) ?? ""
        return text.split(separator: "\n").compactMap { try? JSON.parse(Array($0.utf8)) }
    }

    private func events(_ name: Text) -> [JSON] { log.filter { $0["event"]?.string == name } }

    /// Runs the service once; afterwards the log contains only this run.
    private func serve(_ body: @escaping () async throws -> Void = {}) async throws {
        try folder.write("log.jsonl", "")
        let ending = try await Program.run(
            "timeout", ["90", Program.gatehouse, "run", "--config", configuration], in: folder
        ) { id in
            #expect(await becomesTrue { !events("ledger.head").isEmpty })
            try await body()
            kill(id, SIGTERM)
        }
        #expect(ending.code == 0, "\(ending)")
    }

    private func move(_ name: String, _ other: String) throws {
        try FileManager.default.moveItem(atPath: folder.path("state/gatehouse.db" + name), toPath: folder.path(other))
    }

    @Test(.tags(.realTime)) func theKeyOfTheConnectionsIsChanged() async throws {
        try await serve()
        let old = try folder.read("state/gatehouse.db.agent-key")
        try move(".agent-key", "state/gatehouse.db.agent-key.old")
        try await serve()
        #expect(events("keys").contains { $0["resealed"]?.int == 1 }, "\(log)")
        #expect(try folder.read("state/gatehouse.db.agent-key") != old)
        try FileManager.default.removeItem(atPath: folder.path("state/gatehouse.db.agent-key.old"))
        try await serve()
        #expect(events("fault").allSatisfy { $0["code"] != "fault.agent-unreadable" })
        #expect(!events("keys").contains { $0["text"]?.string?.hasPrefix("credentials are named") == true })
    }

    /// The start succeeds, and the old key is still the only one: its file may be removed only after the event
    /// line that the document names.
    @Test(.tags(.realTime)) func theOldKeyServesUntilTheLogSaysOtherwise() async throws {
        try await serve()
        try move(".agent-key", "state/gatehouse.db.agent-key.old")
        // No new key can be made, as on a full disk.
        let obstacle = folder.path("state/gatehouse.db.agent-key")
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        try await serve()
        #expect(!events("keys").contains { $0["resealed"]?.int ?? 0 > 0 }, "\(log)")
        #expect(events("fault").contains { $0["code"] == "fault.agent-unreadable" }, "\(log)")
        try FileManager.default.removeItem(atPath: obstacle)
        try await serve()
        #expect(events("keys").contains { $0["resealed"]?.int == 1 }, "\(log)")
        // The search for that line, from the document.
        let look = try document("docs/maintenance.md").split(separator: "\n").first {
            $0.contains("grep") && $0.contains("keys")
        }
        let grep = try #require(look?.split(separator: "|").last)
        let found = try await Program.run("sh", ["-c", "\(grep) log.jsonl"], in: folder)
        #expect(found.code == 0 && found.lines.last?.contains(#""resealed":1"#) == true, "\(found)")
    }

    private func document(_ name: String) throws -> String {
        try String(contentsOf: Vectors.repository.appendingPathComponent(name), encoding: .utf8)
    }

    /// The timer's unit as the document has it: systemd accepts it, and it removes old backups of this gate,
    /// and nothing else.
    @Test func theTimerRemovesItsOwnBackupsOnly() async throws {
        let text = try document("docs/maintenance.md")
        let from = try #require(text.range(of: "# /etc/systemd/system/gatehouse-backup.service"))
        let to = try #require(text[from.upperBound...].range(of: "\n```"))
        let unit = String(text[from.lowerBound..<to.lowerBound]) + "\n"
        #expect(unit.contains("\n[Unit]\nRequiresMountsFor=/mnt/backup\n"))
        try folder.write("gatehouse-backup.service", unit)
        if FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze") {
            let verify = try await Program.run(
                "/usr/bin/systemd-analyze",
                ["verify", "--man=no", "--recursive-errors=no", folder.path("gatehouse-backup.service")], in: folder)
            #expect(verify.lines.filter { !$0.contains("is not executable") } == [], "\(verify)")
            #expect(!verify.errors.contains("gatehouse-backup.service:"), "\(verify)")
        }
        let old = [
            "north-2026-11-01.tar", "north-2026-11-02.tar.partial", "north-2-2026-11-01.tar", "south-2026-11-01.tar",
            "last.tar", "photos/north-2026-11-01.tar", "north-inside.tar",
        ]
        for name in old + ["north-2026-12-31.tar"] { try folder.write("disk/" + name, "x") }
        let date = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -40 * 86_400)]
        for name in old { try FileManager.default.setAttributes(date, ofItemAtPath: folder.path("disk/" + name)) }
        let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("ExecStartPost=") })
        let command = line.dropFirst("ExecStartPost=".count).replacing("%H", with: "north")
            .replacing("/mnt/backup", with: folder.path("disk"))
        let ending = try await Program.run("sh", ["-c", String(command)], in: folder)
        #expect(ending.code == 0, "\(ending)")
        let left = try FileManager.default.subpathsOfDirectory(atPath: folder.path("disk"))
        #expect(Set(left) == Set(old.dropFirst(2) + ["north-2026-12-31.tar", "photos"]))
    }

    @Test(.tags(.realTime)) func theKeyOfTheWitnessIsChanged() async throws {
        try await serve()
        let ledger = try #require(events("ledger.head").last?["ledger"]?.string)
        try move(".witness-key", "old-key")
        try move(".witness", "old-witness")
        try await serve()
        #expect(events("fault").contains { $0["code"] == "fault.ledger-rewritten" }, "\(log)")
        let list = try await folder.gatehouse("ledger", "list", "--json", "--config", configuration)
        #expect(list.json.last?["predecessor"]?["ledger"]?.string == ledger, "\(list)")
        let verify = try await folder.gatehouse("ledger", "verify", "--config", configuration)
        #expect(verify.code == 0, "\(verify)")
    }

    /// The log is renamed while the service was running, as logrotate does.
    @Test(.tags(.realTime)) func theLogIsRotatedWithoutASignal() async throws {
        try await serve {
            try FileManager.default.moveItem(atPath: folder.path("log.jsonl"), toPath: folder.path("log.jsonl.1"))
        }
        let rotated = try folder.read("log.jsonl.1")
        #expect(!rotated.isEmpty && !events("ended").isEmpty)
    }

    /// A deprecated key of the configuration: reported by the check and at the start, and no reason not to
    /// start.
    @Test(.tags(.realTime)) func aDeprecatedKeyIsReportedEverywhere() async throws {
        let text = try folder.read("gate.toml")
        try folder.write("gate.toml", text + "[agent]\nqueue = 500\n")
        let check = try await folder.gatehouse("config", "check", configuration)
        #expect(check.code == 0 && check.errors.contains("agent.queue no longer has an effect"), "\(check)")
        #expect(check.errors.contains("version 0.3.0 refuses it"))
        try await serve()
        #expect(events("configuration").contains { $0["key"] == "agent.queue" }, "\(log)")
    }

    /// A database of a future version is refused by name, and left unchanged.
    @Test(.tags(.realTime)) func aNewerDatabaseIsRefused() async throws {
        try await serve()
        let sql = "INSERT INTO grdb_migrations VALUES ('99 from the future')"
        let edit = try await Program.run(
            "python3",
            ["-c", "import sqlite3; c = sqlite3.connect('state/gatehouse.db'); c.execute(\"\(sql)\"); c.commit()"],
            in: folder)
        #expect(edit.code == 0, "\(edit)")
        let before = try Data(contentsOf: folder.url.appendingPathComponent("state/gatehouse.db"))
        for command in [["ledger", "verify"], ["backup", "b.tar"]] {
            let ending = try await folder.gatehouse(command + ["--config", configuration])
            #expect(ending.code == 2 && ending.errors.contains("was written by a newer version"), "\(ending)")
            #expect(ending.errors.contains("install the newer version again"), "\(ending)")
        }
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("state/gatehouse.db")) == before)
    }

    /// The scripts in `deploy` that check their own files with Ansible, RAUC and apt, where these are
    /// installed.
    @Test(arguments: ["ansible", "apt", "rauc"]) func theTemplatesAreUnderstood(by tool: String) async throws {
        let check = Vectors.repository.appendingPathComponent("deploy/\(tool)/check").path
        let ending = try await Program.run(check, [], in: folder)
        if ending.code == 77 { return print("templates: \(ending.errors)") }
        #expect(ending.code == 0, "\(ending)")
    }

    /// Runs `deploy/rauc/check` on the root of an image that is made as the document says, after `change`.
    private func image(_ change: (_ root: String) throws -> Void = { _ in }) async throws -> Ending {
        let root = folder.path("image-\(UUID().uuidString)")
        let (files, rauc) = (FileManager.default, Vectors.repository.appendingPathComponent("deploy/rauc"))
        func put(_ path: String, _ text: String = "x\n") throws {
            let url = URL(fileURLWithPath: root + path)
            try files.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
            chmod(url.path, 0o755)
        }
        for path in [
            "/usr/bin/gatehouse", "/usr/bin/rauc", "/usr/bin/fw_setenv", "/usr/bin/fw_printenv",
            "/etc/rauc/operator.pem",
            "/usr/share/dbus-1/system-services/de.pengutronix.rauc.service", "/usr/lib/gatehouse-update/confirm",
            "/usr/lib/gatehouse-update/newer-only",
        ] { try put(path) }
        for (name, path) in [
            ("system.conf", "/etc/rauc/"), ("fstab", "/etc/"), ("fw_env.config", "/etc/"),
            ("gatehouse-confirm.service", "/etc/systemd/system/multi-user.target.wants/"),
        ] { try put(path + name, try document("deploy/rauc/" + name)) }
        try put("/etc/gatehouse-image-version", "8\n")
        try put("/etc/sysusers.d/gatehouse.conf", "u gatehouse 991 \"Gatehouse verifier\" /var/lib/gatehouse\n")
        // The document's own line, in addition to the folders of packages and of the base system.
        let line = try document("docs/updates.md").replacing("\n   ", with: " ")
        let made = try #require(line.firstMatch(of: /`mkdir -p (\/[^`]*)`/)).output.1
        for path in made.split(separator: " ").map(String.init) + [
            "/var/lib/gatehouse", "/etc/gatehouse", "/tmp", "/var/tmp",
        ] {
            try files.createDirectory(atPath: root + path, withIntermediateDirectories: true)
        }
        try change(root)
        return try await Program.run(rauc.appendingPathComponent("check").path, [root], in: folder)
    }

    @Test func anImageMadeByTheDocumentIsWhole() async throws {
        let ending = try await image()
        #expect(ending.code == 0, "\(ending)")
    }

    /// A part that is missing in an image is reported before the image is installed at a gate.
    @Test(arguments: [
        ("/var/lib/gatehouse-update", "fstab mounts something on it"), ("/data", "fstab mounts something on it"),
        ("/usr/share/dbus-1", "install rauc-service"), ("/usr/bin/rauc", "install rauc"),
        ("/usr/bin/fw_setenv", "install libubootenv-tool"), ("/etc/fw_env.config", "is not there"),
        ("/etc/systemd/system/multi-user.target.wants/gatehouse-confirm.service", "is not enabled"),
        ("/etc/gatehouse-image-version", "no whole number"), ("/etc/sysusers.d/gatehouse.conf", "no number of his own"),
    ]) func anImageWithoutItIsRefused(path: String, word: String) async throws {
        let ending = try await image { try FileManager.default.removeItem(atPath: $0 + path) }
        #expect(ending.code == 1 && ending.errors.contains(word), "\(ending)")
    }

    /// Where Linux cannot write U-Boot's environment, no system would be kept. On Debian, U-Boot writes it to
    /// p1.
    @Test(arguments: [("/boot/firmware/uboot.env", false), ("/etc/uboot.env", false), ("/data/update/uboot.env", true)])
    func theEnvironmentOfUBootCanBeWritten(path: String, isGood: Bool) async throws {
        let ending = try await image {
            try Data("\(path) 0x0 0x4000\n".utf8).write(to: URL(fileURLWithPath: $0 + "/etc/fw_env.config"))
        }
        #expect((ending.code == 0) == isGood && ending.errors.contains("cannot be written") != isGood, "\(ending)")
    }

    @Test func unitsThatAcceptAnySystemAreMasked() async throws {
        let unit = "/usr/lib/systemd/system/rauc-mark-good.service"
        let ending = try await image { root in
            try FileManager.default.createDirectory(
                atPath: root + "/usr/lib/systemd/system", withIntermediateDirectories: true)
            try Data().write(to: URL(fileURLWithPath: root + unit))
        }
        #expect(ending.code == 1 && ending.errors.contains("is not masked"), "\(ending)")
    }

    /// Runs `deploy/rauc/confirm` of version 8 after the versions in `kept` were kept; returns the calls, and
    /// the versions that are kept then.
    private func confirm(
        gatehouse: String, kept: String? = "7\n", version: String = "8\n"
    ) async throws -> (ending: Ending, calls: String, kept: String?) {
        let path = try await folder.programs([
            "gatehouse": gatehouse, "rauc": "echo \"$@\" >>calls", "systemctl": "echo \"$@\" >>calls",
        ])
        if let kept { try folder.write("confirmed", kept) }
        let script = Vectors.repository.appendingPathComponent("deploy/rauc/confirm").path
        let ending = try await Program.run(
            "timeout", ["60", script], in: folder,
            environment: [
                "PATH": path, "GATEHOUSE_CONFIRM_TRIES": "5", "GATEHOUSE_CONFIRM_PAUSE": "0",
                "GATEHOUSE_CONFIRMED": folder.path("confirmed"),
                "GATEHOUSE_IMAGE_VERSION": try folder.write("version", version),
            ])
        return (ending, (try? folder.read("calls")) ?? "", try? folder.read("confirmed"))
    }

    @Test(.tags(.realTime), arguments: [(0, 0, true), (1, 1, true), (2, 0, false), (0, 2, false)])
    func aSystemIsKeptOnlyWithAGateInOrder(status: Int, doctor: Int, isKept: Bool) async throws {
        let (ending, calls, kept) = try await confirm(
            gatehouse: "[ $1 = status ] && exit \(status); exit \(doctor)")
        #expect(ending.code == (isKept ? 0 : 1), "\(ending)")
        #expect(calls == (isKept ? "status mark-good\n" : "status mark-bad\nreboot\n"))
        #expect(kept == (isKept ? "7\n8\n" : "7\n"))
    }

    /// An unplugged adapter, a clock without a battery: the other system would not repair it, so the gate
    /// does not change systems back and forth.
    @Test(.tags(.realTime), arguments: ["8\n", "7\n8\n", "8\n9\n"])
    func aSystemThatWasKeptStaysWhateverFails(kept: String) async throws {
        let (ending, calls, after) = try await confirm(gatehouse: "echo asked >>calls; exit 2", kept: kept)
        #expect(ending.code == 0 && calls == "status mark-good\n" && after == kept, "\(ending)")
    }

    /// The first system on a card, whose gate is set up later; and an update of a system that was never kept.
    @Test(.tags(.realTime), arguments: [nil, "", "\u{1}garbage 7\n"])
    func anUnconfirmedSystemIsNotRecommended(kept: String?) async throws {
        let (ending, calls, after) = try await confirm(gatehouse: Self.later("exit 2"), kept: kept)
        #expect(ending.code == 0 && calls == "status mark-good\n", "\(ending)")
        #expect(after?.hasSuffix("8\n") == true)
    }

    /// Returns a program whose doctor does `first` at the beginning, and succeeds after four times the tries.
    private static func later(_ first: String) -> String {
        "[ $1 = status ] && exit 0; echo . >>count; [ $(wc -l <count) -gt 20 ] && exit 0; \(first)"
    }

    /// A wrong date is no fault of the system; another finding in addition to it is.
    @Test(
        .tags(.realTime),
        arguments: [
            (["clock.untrusted"], true), (["clock.untrusted", "fault.clock-untrusted"], true), (["box.date"], true),
            (["clock.untrusted", "radio.not-found"], false), (["radio.not-found"], false),
        ])
    func noSystemIsGivenUpForTheDate(codes: [String], isKept: Bool) async throws {
        let findings = codes.map {
            #"{"check":"clock","state":"bad","code":"\#($0)","detail":"a \"state\"","remedy":"r"}"#
        }
        let json = #"{"state":"bad","machine":[],"findings":[\#(findings.joined(separator: ","))]}"#
        let (ending, calls, kept) = try await confirm(gatehouse: Self.later("printf '%s\\n' '\(json)'; exit 2"))
        #expect(ending.code == (isKept ? 0 : 1), "\(ending)")
        #expect(calls == (isKept ? "status mark-good\n" : "status mark-bad\nreboot\n"))
        #expect(kept == (isKept ? "7\n8\n" : "7\n"))
        // The program writes its findings in this form.
        let doctor = try await folder.gatehouse("doctor", "--json", "--config", "absent.toml")
        #expect(doctor.code == 2 && doctor.output.contains(#""state":"bad","code":"box.configuration""#), "\(doctor)")
    }

    /// A system without a version number is checked at each start, and is not recorded.
    @Test(.tags(.realTime)) func aSystemWithoutANumberIsNotRemembered() async throws {
        let (ending, calls, kept) = try await confirm(gatehouse: "exit 0", version: "eight\n")
        #expect(ending.code == 0 && calls == "status mark-good\n" && kept == "7\n", "\(ending)")
    }

    @Test(arguments: [("7", "8", true), ("7", "7", false), ("7", "6", false), ("7", "x", false), ("9", "10", true)])
    func onlyANewerSystemIsTaken(installed: String, offered: String, isTaken: Bool) async throws {
        let version = try folder.write("version", installed + "\n")
        let script = Vectors.repository.appendingPathComponent("deploy/rauc/newer-only").path
        let ending = try await Program.run(
            script, [], in: folder, environment: ["GATEHOUSE_IMAGE_VERSION": version, "RAUC_BUNDLE_VERSION": offered])
        #expect((ending.code == 0) == isTaken, "\(ending)")
    }
}
