import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse doctor` and `config check --here`, on a machine that is simulated by a folder.
@Suite struct DoctorCommandTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// Creates a machine on which a gate without hardware is in order, for the user who runs these tests.
    private func machine(user: UInt32 = getuid(), more: String = "") async throws -> String {
        try await folder.exportSample()
        for (path, text) in [
            ("root/etc/passwd", "keeper:x:\(user):\(getgid())::/:/bin/sh\n"), ("root/etc/group", "gpio:x:997:\n"),
            ("root/etc/os-release", "NAME=Debian\nPRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\n"),
            ("root/sys/class/rtc/rtc0/hctosys", "1\n"),
            (
                "root/usr/lib/systemd/system/gatehouse.service",
                "[Service]\nUser=keeper\nAmbientCapabilities=CAP_NET_ADMIN\n"
            ),
            ("state/empty", ""),
        ] { try folder.write(path, text) }
        try setClock()
        return try folder.write(
            "gate.toml",
            """
            [kiosk]
            name = "Test-Gate"
            [radio]
            transport = "tcp"
            port = \(try closedPort())
            [trust]
            directory = "sample/trust"
            state = "state/trust"
            [clock]
            minimum = "unset"
            [ledger]
            path = "state/gatehouse.db"
            keepMegabytes = 16
            [display]
            kind = "none"
            [control]
            path = "control.sock"
            \(more)
            """)
    }

    /// Sets the battery-backed clock of the machine right before the look: on a busy machine the look takes
    /// time.
    private func setClock() throws {
        try folder.write("root/sys/class/rtc/rtc0/since_epoch", "\(Int(Date().timeIntervalSince1970))\n")
    }

    /// Returns the printed text without its line breaks.
    private static func unfolded(_ text: String) -> String {
        text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    }

    private func codes(_ ending: Ending) -> [String] {
        (ending.json.first?["findings"]?.array ?? []).compactMap { $0["code"]?.string?.string }
    }

    @Test func aMachineInOrder() async throws {
        let file = try await machine()
        try setClock()
        let ending = try await folder.gatehouse("config", "check", "--here", "--root", "root", file)
        #expect(ending.code == 0 && ending.errors.isEmpty, "\(ending)")
        #expect(
            ending.output.contains("Debian GNU/Linux 13 (trixie)") && ending.lines.last == "everything is in order",
            "\(ending)")
        #expect(!ending.output.contains("→") && !ending.lines.contains { $0.hasPrefix("service ") }, "\(ending)")
        // The marks are aligned.
        let rows = ending.lines.dropFirst().filter { $0.contains(" ok ") }
        #expect(
            Set(rows.map { $0.distance(from: $0.startIndex, to: $0.range(of: "ok ")?.lowerBound ?? $0.endIndex) }).count
                == 1)

        try setClock()
        let doctor = try await folder.gatehouse("doctor", "--root", "root", "--config", file)
        #expect(doctor.code == 1 && doctor.output.contains("→ box.not-running: Start it"), "\(doctor)")
        try setClock()
        let machine = try await folder.gatehouse("doctor", "--json", "--root", "root", "--config", file)
        #expect(machine.code == 1 && machine.json.first?["state"] == "warning" && codes(machine) == ["box.not-running"])
        #expect(machine.json.first?.object?.names == ["state", "machine", "findings"])
    }

    @Test func aMachineThatIsNot() async throws {
        // A user without access, a bluetoothd that takes the adapter, a clock with an empty battery.
        let file = try await machine(user: 4711, more: "[agent]\ninvitations = [\"soon.json\"]\n")
        for (path, text) in [
            ("root/sys/class/bluetooth/hci0/rfkill0/hard", "1\n"), ("root/sys/class/rtc/rtc0/since_epoch", "0\n"),
            ("root/sys/fs/cgroup/system.slice/bluetooth.service/x", ""), ("sample/trust/issuers.toml", "profile = 7\n"),
        ] { try folder.write(path, text) }
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try folder.write("gate.toml", text.replacingOccurrences(of: "\"tcp\"", with: "\"user-channel\""))
        let ending = try await folder.gatehouse("doctor", "--json", "--root", "root", "--config", file)
        #expect(ending.code == 2 && ending.json.first?["state"] == "bad", "\(ending)")
        let codes = Set(codes(ending))
        for code in [
            "box.unwritable", "box.unreadable", "radio.switched-off", "radio.busy", "box.rtc-battery",
            "fault.trust-unusable", "fault.agent-unconnected", "box.not-running",
        ] { #expect(codes.contains(code), "\(code) in \(codes)") }
        let person = try await folder.gatehouse("doctor", "--root", "root", "--config", file)
        #expect(
            person.code == 2 && person.output.contains("→ radio.switched-off: Look for a wireless switch"), "\(person)")
        #expect(person.errors.isEmpty)
    }

    @Test func aConfigurationThatCannotBeUsed() async throws {
        try folder.write("bad.toml", "[kiosk]\nname = 1\n")
        for words in [["doctor", "--config", "bad.toml"], ["config", "check", "--here", "bad.toml"]] {
            let ending = try await folder.gatehouse(words)
            #expect(ending.code == 2 && ending.output.contains("bad.toml:2: kiosk.name"), "\(ending)")
            #expect(ending.output.contains("→ box.configuration: "), "\(ending)")
        }
        let file = try await machine()
        // Checks that need no configuration run without one.
        for (name, words) in [
            (
                "nowhere.toml",
                ["nowhere.toml: does not exist", "create it: sudo gatehouse setup --config nowhere.toml"]
            ),
            ("bad.toml", ["bad.toml:2: kiosk.name"]),
        ] {
            let bare = try await folder.gatehouse("doctor", "--root", "root", "--config", name)
            let always = [
                "Debian GNU/Linux 13 (trixie)", "gatehouse.service", "keeper", "radio.no-bluetooth", "MB free",
            ]
            let rows = ["unit", "user", "disk", "radio", "chip", "clock", "rtc"]
            #expect(
                bare.code == 2 && rows.allSatisfy { row in bare.lines.contains { $0.hasPrefix(row + " ") } }, "\(bare)")
            let told = Self.unfolded(bare.output)
            #expect(words.allSatisfy { told.contains($0) }, "\(bare)")
            #expect(always.allSatisfy { bare.output.contains($0) }, "\(bare)")
            let json = try await folder.gatehouse("doctor", "--json", "--root", "root", "--config", name)
            #expect(json.json.first?["machine"]?.array?.isEmpty == false && codes(json).contains("box.configuration"))
        }
        let nowhere = try await folder.gatehouse("doctor", "--root", "nowhere", "--config", file)
        #expect(nowhere.code == 2 && nowhere.hasRemedy && nowhere.errors.contains("no folder nowhere"), "\(nowhere)")
    }

    /// The doctor applies the ledger's own rule: the service refuses a ledger in a folder that other users can write
    /// to.
    @Test func aFolderInWhichNoLedgerCanBe() async throws {
        let file = try await machine()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path("state"))
        let ending = try await folder.gatehouse("doctor", "--json", "--root", "root", "--config", file)
        #expect(ending.code == 2 && codes(ending).contains("fault.ledger-unopened"), "\(ending)")
        #expect(ending.output.contains("can be written by other users") && ending.output.contains("mode 0700"))
    }

    @Test(.tags(.realTime)) func theRunningServiceIsAsked() async throws {
        let folder = folder
        let file = try await machine(more: "[gpio]\nchip = \"no-such-chip\"\n[gate]\nline = \"GPIO17\"\n")
        let absent = try await folder.gatehouse("doctor", "--pins", "--config", file)
        #expect(
            absent.code == 2 && absent.errors.contains("no GPIO chip no-such-chip") && absent.hasRemedy, "\(absent)")
        let ending = try await Program.run(
            "timeout", ["60", Program.gatehouse, "run", "--config", file], in: folder
        ) { id in
            var asked = try await folder.gatehouse("doctor", "--json", "--root", "root", "--config", file)
            for _ in 0..<100 where !codes(asked).contains("fault.radio") {
                try await Task.sleep(for: .milliseconds(50))
                asked = try await folder.gatehouse("doctor", "--json", "--root", "root", "--config", file)
            }
            #expect(asked.code == 2 && codes(asked).contains("fault.radio"), "\(asked)")
            #expect(!codes(asked).contains("box.not-running"))
            let pins = try await folder.gatehouse("doctor", "--pins", "--config", file)
            #expect(
                pins.code == 2 && pins.errors.contains("the service is running and uses the lines") && pins.hasRemedy,
                "\(pins)")
            kill(id, SIGTERM)
        }
        #expect(ending.code == 0, "\(ending)")
    }

    @Test func pinsAreForTheMachineItself() async throws {
        let file = try await machine()
        let none = try await folder.gatehouse("doctor", "--pins", "--config", file)
        #expect(none.code == 2 && none.errors.contains("names no lines") && none.hasRemedy, "\(none)")
        let elsewhere = try await folder.gatehouse("doctor", "--pins", "--root", "root", "--config", file)
        #expect(elsewhere.code == 2, "\(elsewhere)")
    }

    /// The board is measured on the ledger's own disk, on which nothing remains; the doctor's findings still
    /// decide the exit code.
    @Test(.tags(.realTime)) func theBoardIsMeasured() async throws {
        let file = try await machine()
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path("state")).sorted()
        let ending = try await folder.gatehouse("doctor", "--bench", "--visits", "3", "--config", file)
        let plain = try await folder.gatehouse("doctor", "--config", file)
        #expect(ending.code == plain.code && ending.code != 0, "\(ending)")
        #expect(ending.output.contains("p99") && ending.output.contains("The budget of a gate"), "\(ending)")
        #expect(!ending.output.contains("temporary files"), "\(ending)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("state")).sorted() == before)
        for more in ["--json", "--pins"] {
            let refused = try await folder.gatehouse("doctor", "--bench", more, "--config", file)
            #expect(refused.code == 2 && refused.errors.contains("--bench cannot be combined with"), "\(refused)")
        }
        #expect(try await folder.gatehouse("doctor", "--bench", "--visits", "0", "--config", file).code == 2)
        let elsewhere = try await folder.workshop("bench", "--visits", "1", "--folder", "absent")
        #expect(elsewhere.code == 2 && elsewhere.errors.contains("no records can be written below"), "\(elsewhere)")
    }
}
