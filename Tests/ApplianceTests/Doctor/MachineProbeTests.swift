import Clocks
import Commissioning
import Encoding
import Features
import Foundation
import Kiosk
import LinuxIO
import Settings
import Testing

/// The facts that are read from a machine's files. A folder simulates the machine.
@Suite struct MachineProbeTests {
    private let root: URL
    /// The prefix of the usual folders, so that the folders of the test machine are not read.
    private var own: String { root.path + "-own" }

    init() throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent(
            "gatehouse-look-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    }

    private func write(_ files: [String: String]) throws {
        for (path, text) in files {
            let file = root.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    private func link(_ path: String, to target: String) throws {
        let file = root.appendingPathComponent(path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: target)
    }

    private func facts(_ more: String = "", file: String = "a.toml") throws -> MachineFacts {
        let text = "[kiosk]\nname = \"A\"\n[ledger]\npath = \"\(root.path)/gatehouse.db\"\n\(more)"
        let configuration = try Configuration.parse(
            Array(text.utf8), file: "a.toml", folder: root.path,
            standard: try #require(StandardFolders(["GATEHOUSE_ROOT": own])))
        return MachineProbe(root: root.path, clock: .system).facts(
            configuration, file: file, made: Timestamp(seconds: 0), asksService: false)
    }

    private func over() { try? FileManager.default.removeItem(at: root) }

    @Test func anEmptyMachine() throws {
        defer { over() }
        let facts = try facts()
        #expect(facts.unit == nil && facts.account == nil && facts.userName == "gatehouse")
        #expect(facts.radio.adapters == nil && !facts.radio.hasOpener && !facts.radio.mayDaemonStart)
        #expect(
            facts.chips == nil && facts.clock.hardware.isEmpty && facts.clock.saved.isEmpty && !facts.keepsLinesDriven)
        #expect(facts.service == nil && facts.disk != nil)
    }

    @Test func bluetooth() throws {
        defer { over() }
        try write([
            "sys/class/bluetooth/hci0/rfkill0/soft": "1\n", "sys/class/bluetooth/hci0/rfkill0/hard": "0\n",
            "sys/fs/cgroup/system.slice/bluetooth.service/x": "",
            "usr/lib/systemd/system/bluetooth.service": "[Unit]\n",
            "usr/lib/systemd/system/gatehouse-radio.socket": "[Socket]\n",
        ])
        let before = try facts().radio
        #expect(before.adapters?.map(\.name) == ["hci0"] && before.adapters?.first?.softBlocked == true)
        #expect(before.isDaemonRunning && before.hasOpener && !before.mayDaemonStart, "it is not enabled")
        try link("etc/systemd/system/bluetooth.target.wants/bluetooth.service", to: "/lib/x")
        #expect(try facts().radio.mayDaemonStart)
        try write([
            "usr/lib/systemd/system/bluetooth.service.d/10-gatehouse.conf":
                "[Unit]\nConditionPathExists=!/etc/gatehouse/gatehouse.toml\n"
        ])
        #expect(try !facts().radio.mayDaemonStart)
        try link("etc/systemd/system/gatehouse-radio.socket", to: "/dev/null")
        #expect(try !facts().radio.hasOpener, "masked")
    }

    @Test func userAndUnit() throws {
        defer { over() }
        try write([
            "etc/passwd": "root:x:0:0::/:/bin/sh\nkiosk:x:990:991::/:/bin/sh\n",
            "etc/group": "kiosk:x:991:\ngpio:x:997:\ni2c:x:998:\nvideo:x:44:kiosk,pi\naudio:x:29:pi\n",
            "usr/lib/systemd/system/gatehouse.service":
                "[Service]\nUser=kiosk\nSupplementaryGroups=gpio\nProtectSystem=strict\n# User=x\nStateDirectory=gate\n",
            "etc/systemd/system/gatehouse.service.d/20-panel.conf":
                "[Service]\nSupplementaryGroups=i2c spi\nReadWritePaths=-/data\nDevicePolicy=closed\nDeviceAllow=char-i2c rw\n",
        ])
        let facts = try facts()
        #expect(facts.account == Account(user: 990, groups: [991, 997, 998, 44]))
        #expect(facts.missingGroups == ["spi"])
        let unit = try #require(facts.unit)
        #expect(unit.permits("/data/x", writing: true) && unit.permits("/var/lib/gate/x", writing: true))
        #expect(!unit.permits("/database", writing: true) && unit.permits("/database", writing: false))
        #expect(unit.makes("/var/lib/gate") && !unit.makes("/var/lib/gatehouse"))
        #expect(unit.permits(device: "/dev/i2c-1", of: "char-i2c") && !unit.permits(device: "/dev/fb0", of: "char-fb"))
    }

    /// Swap that is itself in memory does not count.
    @Test func swap() throws {
        defer { over() }
        #expect(try facts().swaps == [])
        try write([
            "proc/swaps":
                "Filename\t\tType\t\tSize\n/dev/zram0 partition\t100\t0\t100\n/var/swap   file\t\t102396\t0\t-2\n",
            "sys/fs/cgroup/cgroup.controllers": "cpuset cpu io pids\n",
        ])
        var seen = try facts()
        #expect(seen.swaps == ["/var/swap"] && !seen.countsMemory)
        try write(["sys/fs/cgroup/cgroup.controllers": "cpuset cpu io memory pids\n"])
        seen = try facts()
        #expect(seen.countsMemory)
    }

    @Test func theRelaysThreads() throws {
        defer { over() }
        func thread(_ path: String, _ name: String, policy: Int) throws {
            // Fields 4 to 39, the priority, the policy, and what follows it (proc(5)).
            let fields = String(repeating: " 0", count: 36) + " 77 \(policy)" + String(repeating: " 0", count: 11)
            try write(["proc/\(path)/comm": name + "\n", "proc/\(path)/stat": "7 (\(name)) S\(fields)\n"])
        }
        try write(["proc/sys/kernel/x": ""])
        try thread("20/task/20", "gatehouse", policy: 0)
        try thread("20/task/21", "gatehouse-radio", policy: 0)
        #expect(try facts().relaysRunFirst == nil)
        try thread("20/task/22", "gatehouse-relay", policy: 2)
        #expect(try facts().relaysRunFirst == true)
        // The relay's thread of a second gate.
        try thread("30/task/31", "gatehouse-relay", policy: 0)
        #expect(try facts().relaysRunFirst == false)
        try thread("30/task/31", "gatehouse-relay", policy: 1)
        #expect(try facts().relaysRunFirst == true)
    }

    /// A further gate on the machine: the template's unit and drop-ins, and the gate's own.
    @Test func anInstance() throws {
        defer { over() }
        let template =
            "[Service]\nUser=gatehouse\nProtectSystem=strict\nDevicePolicy=closed\nStateDirectory=gatehouse-%i\nRuntimeDirectory=gatehouse-%i\n"
        try write([
            "etc/passwd": "gatehouse:x:990:991::/:/bin/sh\n",
            "usr/lib/systemd/system/gatehouse.service": template.replacingOccurrences(of: "-%i", with: ""),
            "usr/lib/systemd/system/gatehouse@.service": template,
            "usr/lib/systemd/system/gatehouse-radio@.socket": "[Socket]\n",
            "etc/systemd/system/gatehouse@.service.d/10-panel.conf": "[Service]\nDeviceAllow=char-i2c rw\n",
            "etc/systemd/system/gatehouse@.service.d/20-data.conf": "[Service]\nReadWritePaths=/data\n",
            "etc/systemd/system/gatehouse@out.service.d/20-data.conf": "[Service]\nReadWritePaths=/data/%i\n",
            "etc/systemd/system/gatehouse@in.service.d/30-fb.conf": "[Service]\nDeviceAllow=char-fb rw\n",
        ])
        for file in [own + "/etc/gatehouse/out.toml", root.path + "/etc/gatehouse/out.toml"] {
            let facts = try facts(file: file)
            #expect(facts.unitName == "gatehouse@out" && facts.openerName == "gatehouse-radio@out")
            let unit = try #require(facts.unit)
            #expect(
                unit.permits("/var/lib/gatehouse-out/gatehouse.db", writing: true) && unit.makes("/run/gatehouse-out"))
            #expect(!unit.permits("/var/lib/gatehouse/gatehouse.db", writing: true))
            #expect(unit.permits("/data/out/x", writing: true) && !unit.permits("/data/in/x", writing: true))
            #expect(
                unit.permits(device: "/dev/i2c-1", of: "char-i2c") && !unit.permits(device: "/dev/fb0", of: "char-fb"))
            #expect(facts.radio.hasOpener)
        }
        // The facts of the first gate, and of configurations elsewhere, stay the same.
        for file in [own + "/etc/gatehouse/gatehouse.toml", "/srv/out.toml"] {
            let facts = try facts(file: file)
            #expect(facts.unitName == "gatehouse" && !facts.radio.hasOpener, "its socket is not installed")
            #expect(facts.unit?.permits("/var/lib/gatehouse/gatehouse.db", writing: true) == true)
        }
        try link("etc/systemd/system/gatehouse-radio@out.socket", to: "/dev/null")
        #expect(try !facts(file: own + "/etc/gatehouse/out.toml").radio.hasOpener, "masked")
        #expect(try facts(file: own + "/etc/gatehouse/in.toml").radio.hasOpener)
        try link("etc/systemd/system/gatehouse@out.service", to: "/dev/null")
        #expect(try facts(file: own + "/etc/gatehouse/out.toml").unit == nil, "masked")
    }

    @Test func clocks() throws {
        defer { over() }
        try write([
            "sys/class/rtc/rtc0/hctosys": "1\n", "sys/class/rtc/rtc0/since_epoch": "1800000000\n",
            "sys/class/rtc/rtc0/battery_voltage": "3013000\n", "sys/class/rtc/rtc1/hctosys": "0\n",
            "etc/fake-hwclock.data": "2026-11-01 00:00:00\n",
        ])
        let clock = try facts().clock
        #expect(
            clock.hardware == [
                .init(name: "rtc0", isUsed: true, seconds: 1_800_000_000, battery: 3_013_000),
                .init(name: "rtc1", isUsed: false, seconds: nil),
            ])
        #expect(clock.saved.map(\.keeper) == [.fakeHardwareClock] && clock.utc.seconds > 0)
        #expect(clock.saved.first?.date == Timestamp(rfc3339: "2026-11-01T00:00:00Z") && clock.uptime > .zero)
    }

    @Test func aKernelThatKeepsLinesDriven() throws {
        defer { over() }
        for (release, boot, isSo) in [
            ("6.6.51+rpt-rpi-v8", "# dtparam=strict_gpiod\n", true),
            ("6.6.51+rpt-rpi-v8", "dtparam=strict_gpiod\n", false),
            ("6.12.9-arm64", "", false),
        ] {
            try write(["proc/sys/kernel/osrelease": release + "\n", "boot/firmware/config.txt": boot])
            #expect(try facts().keepsLinesDriven == isSo, "\(release) \(boot)")
        }
    }

    @Test func trustAndRules() throws {
        defer { over() }
        let more = "[trust]\ndirectory = \"trust\"\n[policy]\nfile = \"policy.toml\"\n"
        guard case .unusable = try facts(more).trust else { return _ = Issue.record("there is none") }
        let end = Timestamp(seconds: Int64(Date().timeIntervalSince1970) + 5 * 86_400).rfc3339
        try write([
            "trust/issuers.toml": "[[issuer]]\nid = \"did:web:a.example\"\nvalid-until = \"\(end)\"\n",
            "policy.toml": """
            id = "p"
            version = "1"
            [[accept]]
            id = "all"
            issuers = ["group:nobody"]
            [[test]]
            name = "a member of nobody"
            at = 2026-06-01T09:00:00Z
            issuer = "did:web:a.example"
            types = ["https://a.example/Pass"]
            expect = "accept"
            """,
        ])
        let facts = try facts(more)
        guard case .usable(_, let issuers, let lack, nil, let findings) = facts.trust else {
            return _ = Issue.record("\(facts.trust.map { "\($0)" } ?? "")")
        }
        #expect(lack?.contains("no key of any issuer is known") == true, "as the service says it: \(lack ?? "")")
        #expect(issuers == 1 && findings.contains { $0.contains("did:web:a.example has no document") }, "\(findings)")
        #expect(facts.expiries.map { "\($0.kind) \($0.name) \($0.end.rfc3339)" } == ["issuer did:web:a.example \(end)"])
        guard case .usable(_, let origin, 1, let failed, let groups) = facts.policy else {
            return _ = Issue.record("\(facts.policy.map { "\($0)" } ?? "")")
        }
        #expect(failed == ["a member of nobody"] && groups == ["nobody"])
        #expect(origin == "from " + root.appendingPathComponent("policy.toml").path)
    }

    /// Rules in trust data are reported like those in a file; unusable trust data leads to no report about
    /// rules.
    @Test func rulesOfTheTrustData() throws {
        defer { over() }
        let more = "[trust]\ndirectory = \"trust\"\n"
        #expect(try facts(more).policy == .unread)
        try write(["trust/issuers.toml": "[[issuer]]\nid = \"did:web:a.example\"\n"])
        #expect(try facts(more).policy == nil)
        try write(["trust/policy.toml": "id = \"p\"\nversion = \"1\"\n"])
        #expect(try facts(more).policy == .unread, "the gate takes none of it")
        try write(["trust/policy.toml": "id = \"p\"\nversion = \"1\"\n[[accept]]\nid = \"all\"\n"])
        guard case .usable(let name, let origin, 0, [], []) = try facts(more).policy else {
            return _ = Issue.record("\(try facts(more).policy.map { "\($0)" } ?? "none")")
        }
        #expect(name.hasPrefix("p@1 sha256:"))
        #expect(origin == "from " + root.appendingPathComponent("trust/policy.toml").path)
    }

    /// A file that the user may not see is not reported as missing. Root sees every file.
    @Test func unreadableFilesDoNotCountAsMissing() throws {
        defer { over() }
        guard geteuid() != 0 else { return }
        try write(["shut/trust/issuers.toml": ""])
        let shut = root.appendingPathComponent("shut").path
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: shut)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: shut) }
        let facts = try facts("[trust]\ndirectory = \"shut/trust\"\n")
        #expect(facts.unseen == 2 && facts.trust == nil && facts.policy == .unseen)
    }

    @Test func accessOfTheServicesUser() {
        let (owner, member, other) = (
            Account(user: 5, groups: [5]), Account(user: 6, groups: [7]), Account(user: 8, groups: [8])
        )
        func place(_ mode: UInt32, folder: UInt32 = 0o755, missing: Int = 0) -> Place {
            let way = Place.Node(user: 5, group: 7, mode: folder, isFolder: true)
            return Place(
                missing > 0 ? [way] : [way, .init(user: 5, group: 7, mode: mode, isFolder: false)], missing: missing)
        }
        #expect(place(0o640).reading(by: member) == .good && place(0o640).writing(by: member) == .refused)
        #expect(place(0o640).reading(by: other) == .refused && place(0o640).writing(by: owner) == .good)
        #expect(place(0o666, folder: 0o700).reading(by: other) == .refused, "the folder keeps him out")
        #expect(place(0o066).reading(by: owner) == .refused, "the owner's bits count for the owner")
        #expect(place(0, missing: 1).writing(by: owner) == .good && place(0, missing: 1).writing(by: other) == .refused)
        #expect(
            place(0, missing: 1).reading(by: owner) == .missing && place(0, missing: 2).writing(by: owner) == .missing)
        #expect(place(0, folder: 0).writing(by: Account(user: 0, groups: [])) == .good, "root")
    }
}
