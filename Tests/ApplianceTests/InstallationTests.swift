import Clocks
import Commissioning
import Encoding
import Features
import Foundation
import LinuxIO
import Settings
import TestKit
import Testing

@testable import TrustFiles

/// `deploy/install`, and the package that is made from its result.
@Suite("Installation and package")
struct InstallationTests {
    private let deploy = Vectors.repository.appendingPathComponent("deploy")

    private func text(_ name: String) throws -> String {
        String(decoding: try Vectors.bytes(deploy.appendingPathComponent(name)), as: UTF8.self)
    }

    @Test(
        "install puts everything below DESTDIR, twice alike, and no configuration: the administrator's own starts the gate"
    )
    func install() throws {
        let folder = try TestFolder()
        try folder.program("gatehouse", "[ $1 != --generate-completion-script ] || printf '#!/bin/%s\\nwords\\n' $2")
        let resources = folder.url.appendingPathComponent("gatehouse_Credentials.resources/x")
        try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
        let script = deploy.appendingPathComponent("install").path
        let arguments = ["--binary", folder.url.appendingPathComponent("gatehouse").path]
        let environment = ["DESTDIR": folder.url.appendingPathComponent("stage").path]
        let first = try ProgramRun(script, arguments, environment: environment)
        #expect(first.status == 0, "\(first.output)")
        for path in [
            "bin/gatehouse", "lib/gatehouse/gatehouse", "lib/systemd/system/gatehouse.service",
            "lib/systemd/system/gatehouse-setup.service",
            "lib/systemd/system/gatehouse-radio.socket", "lib/systemd/system/gatehouse-radio.service",
            "lib/systemd/system/gatehouse@.service", "lib/systemd/system/gatehouse-radio@.socket",
            "lib/systemd/system/gatehouse-radio@.service",
            "lib/systemd/system/gatehouse-radio-reset.path", "lib/systemd/system/gatehouse-radio-reset.service",
            "lib/systemd/system/bluetooth.service.d/10-gatehouse.conf", "lib/sysusers.d/gatehouse.conf",
            "lib/tmpfiles.d/gatehouse.conf", "lib/udev/rules.d/70-gatehouse.rules", "share/man/man1/gatehouse.1.gz",
            "lib/systemd/catalog/gatehouse.catalog",
            "share/gatehouse/gatehouse.toml", "share/gatehouse/own-radio.conf", "share/gatehouse/policy.toml",
            "share/gatehouse/policy-start.toml", "share/gatehouse/gatehouse-setup.toml",
            "share/gatehouse/issuers.toml", "share/gatehouse/pinout.toml", "share/doc/gatehouse/docs/maintenance.md",
            "share/doc/gatehouse/docs/reference/events.md", "share/doc/gatehouse/docs/protocols/tuvali.md",
            "share/doc/gatehouse/hardware/displays.md", "share/doc/gatehouse/hardware/wiring/lamps.svg",
        ] {
            #expect(folder.text("stage/usr/\(path)") != nil, "\(path)")
        }
        let documents = folder.url.appendingPathComponent("stage/usr/share/doc/gatehouse")
        for path in FileManager.default.enumerator(atPath: documents.path)?.compactMap({ $0 as? String }) ?? [] {
            let size = try documents.appendingPathComponent(path).resourceValues(forKeys: [.fileSizeKey]).fileSize
            #expect(size ?? 0 < 100_000, "\(path): a card has better uses for its room")
        }
        try examineTemplates(in: folder)
        // Shells read these files and do not execute them.
        for path in [
            "bash-completion/completions/gatehouse", "zsh/vendor-completions/_gatehouse",
            "fish/vendor_completions.d/gatehouse.fish",
        ] {
            #expect(folder.text("stage/usr/share/\(path)") == "words\n", "\(path)")
        }
        let nested = folder.url.appendingPathComponent("stage/usr/lib/gatehouse/gatehouse_Credentials.resources/x").path
        #expect(FileManager.default.fileExists(atPath: nested))

        let second = try ProgramRun(script, arguments, environment: environment)
        #expect(second.status == 0, "\(second.output)")
        #expect(!FileManager.default.fileExists(atPath: nested + "/gatehouse_Credentials.resources"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: environment["DESTDIR"] ?? "") == ["usr"])

        try examineASecondGate(folder.url.appendingPathComponent("stage").path)

        #expect(try ProgramRun(script, ["--binary", "/no/such/file"], environment: environment).status == 2)
        #expect(try ProgramRun(script, ["--nonsense"], environment: environment).status == 2)
    }

    /// Each of several gates has the same units as the first one, under its own name.
    private func examineTemplates(in folder: TestFolder) throws {
        let units = try ["gatehouse@.service", "gatehouse-radio@.socket", "gatehouse-radio@.service"].map { name in
            try #require(folder.text("stage/usr/lib/systemd/system/\(name)"))
        }
        for (unit, lines) in zip(
            units,
            [
                [
                    "ExecStart=/usr/bin/gatehouse run --config /etc/gatehouse/%i.toml",
                    "ExecStopPost=-/usr/bin/gatehouse release-lines --config /etc/gatehouse/%i.toml",
                    "ConditionPathExists=/etc/gatehouse/%i.toml", "Wants=gatehouse-radio@%i.socket",
                    "After=network.target gatehouse-radio@%i.socket", "StateDirectory=gatehouse-%i",
                    "RuntimeDirectory=gatehouse-%i", "ConfigurationDirectory=gatehouse", "User=gatehouse",
                ],
                ["ListenSequentialPacket=\(RadioOpener.path(beside: "/run/gatehouse-%i"))"],
                [
                    "ExecStart=/usr/bin/gatehouse open-radio --config /etc/gatehouse/%i.toml",
                    "Requires=gatehouse-radio@%i.socket", "PartOf=gatehouse@%i.service",
                ],
            ])
        {
            for line in lines { #expect(unit.contains("\n\(line)\n"), "\(line)") }
        }
    }

    /// The gate that `gatehouse setup --config /etc/gatehouse/out.toml` makes is one that the installed
    /// template can run.
    private func examineASecondGate(_ stage: String) throws {
        // Use a test folder, not the folders of this machine.
        let own = try #require(StandardFolders(["GATEHOUSE_ROOT": stage + "-own"]))
        let places = SetupPlaces(own.place("/etc/gatehouse/out.toml"), in: own)
        let plan = try SetupPlan(
            SetupFixture.answers([.name: "Out", .board: "none"]), on: SetupMachine(try SetupFixture.pinout()),
            at: places)
        let configuration = try Configuration.parse(
            plan.configuration, file: places.file, folder: places.folder, standard: own)
        var facts = MachineProbe(root: stage, clock: .system).facts(
            configuration, file: places.file, made: Timestamp(seconds: 0), asksService: false)
        facts.account = Account(user: 990, groups: [990])
        let findings = Doctor(configuration, facts).findings
        #expect(findings.filter { $0.check == .unit } == [.good(.unit, "gatehouse@out.service")])
        #expect(findings.filter { $0.check == .opener } == [.good(.opener, "gatehouse-radio@out.socket")])
        let codes = findings.compactMap(\.code)
        #expect(!codes.contains("box.outside-sandbox"), "\(findings)")
    }

    @Test("install refuses a program that does not run here, says why, and installs nothing")
    func installOfAnotherMachine() throws {
        let folder = try TestFolder()
        try folder.program("gatehouse", "echo 'libqrencode.so.4: cannot open shared object file' >&2; exit 127")
        let run = try ProgramRun(
            deploy.appendingPathComponent("install").path,
            ["--binary", folder.url.appendingPathComponent("gatehouse").path],
            environment: ["DESTDIR": folder.url.appendingPathComponent("stage").path])
        #expect(run.status == 2)
        #expect(run.output.contains("does not run on this machine: libqrencode.so.4: cannot open"), "\(run.output)")
        #expect(!FileManager.default.fileExists(atPath: folder.url.appendingPathComponent("stage").path))
    }

    @Test(
        "the first entry of the package's changelog is of the program's version, and its control files name every field"
    )
    func package() throws {
        let version = try #require(try text("deb/changelog").prefix { $0 != ")" }.split(separator: "(").last)
        let source = Vectors.repository.appendingPathComponent("Sources/gatehouse/Shared/ProductVersion.swift")
        let product = String(decoding: try Vectors.bytes(source), as: UTF8.self)
        #expect(product.contains("\"\(version)\""))
        let build = try text("deb/build")
        for name in ["gatehouse", "gatehouse-dbgsym"] {
            let control = try text("deb/control-\(name)")
            #expect(control.hasPrefix("Package: \(name)\n") && control.hasSuffix("\n"))
            for field in control.components(separatedBy: "@").enumerated() where field.offset % 2 == 1 {
                #expect(build.contains("s/@\(field.element)@/"), "\(field.element)")
            }
        }
        // The voice is a separate program, which a gate does not need.
        let least = try Configuration.parse(Array("kiosk.name = \"G\"".utf8), file: "gate.toml", folder: "/")
        let suggests = try text("deb/control-gatehouse").split(separator: "\n").first { $0.hasPrefix("Suggests: ") }
        #expect(suggests?.contains(" \(least[VoiceSection.self].program),") == true, "\(suggests ?? "")")
    }

    @Test(
        "a program is packed: stripped, its symbols apart, with what it loads; the same bytes twice; none that loads what lies beside it"
    )
    func packs() throws {
        let folder = try TestFolder()
        let (program, build) = (folder.url.path + "/build/release/gatehouse", deploy.path + "/deb/build")
        let version = try #require(try text("deb/changelog").prefix { $0 != ")" }.split(separator: "(").last)
        try Data("#include <stdio.h>\nint main(void) { return puts(\"\(version)\") < 0; }\n".utf8)
            .write(to: folder.url.appendingPathComponent("main.c"))
        let compile = { (options: String) in
            try ProgramRun(
                "/bin/sh",
                [
                    "-c",
                    """
                    cd \(folder.url.path) && mkdir -p build/release build/checkouts/library && echo words > build/checkouts/library/LICENSE &&
                    command -v dpkg-shlibdeps objcopy clang && clang -g -Wl,--build-id \(options) -o \(program) main.c
                    """,
                ])
        }
        guard try compile("").status == 0 else { return print("skipped: no dpkg-dev, binutils or clang") }
        for output in ["one", "two"] {
            let run = try ProgramRun(build, [program, folder.url.appendingPathComponent(output).path])
            #expect(run.status == 0, "\(run.output)")
        }
        let check = """
            cd \(folder.url.path) && cmp one/gatehouse_*.deb two/gatehouse_*.deb && cmp one/*dbgsym*.deb two/*dbgsym*.deb &&
            dpkg-deb --extract one/gatehouse_*.deb tree && dpkg-deb --extract one/gatehouse-dbgsym_*.deb tree && tree/usr/bin/gatehouse &&
            readelf -S tree/usr/lib/gatehouse/gatehouse | grep -c debug_info; readelf -S tree/usr/lib/debug/.build-id/*/* 2>/dev/null | grep -c debug_info
            dpkg-deb --field one/gatehouse_*.deb Version Depends; zcat tree/usr/share/doc/gatehouse/third-party-notices.gz | grep -cx words
            """
        let found = try ProgramRun("/bin/sh", ["-c", check]).output.split(separator: "\n")
        try #require(found.count == 6, "\(found)")
        #expect(found[..<3] == [version, "0", "1"] && found[3].hasPrefix("Version: \(version)+"))
        #expect(found[4].contains("libc6") && found[4].contains("systemd") && found[5] == "1")

        #expect(try compile("-Wl,-rpath,'$ORIGIN'").status == 0)
        let refused = try ProgramRun(build, [program, folder.url.appendingPathComponent("three").path])
        #expect(
            refused.status == 1 && refused.output.contains("libraries in its own folder"), "\(refused.output)")
    }
}
