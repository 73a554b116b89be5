import Commissioning
import Credentials
import Encoding
import Features
import Foundation
import LinuxIO
import Settings
import Testing
import TrustFiles

/// A setup by a file on the boot partition: once, whole, and answered.
@Suite struct SetupBootTests {
    private let folder: SetupFixture
    private static let secret = "one-time-4711"

    init() throws {
        folder = try SetupFixture()
        try FileManager.default.createDirectory(atPath: folder.path + "/boot", withIntermediateDirectories: true)
    }

    /// Carries out what is on the boot partition of a machine that is a folder.
    private func run(
        in place: String? = nil, onStep: @escaping (SetupBoot.Step) -> Void = { _ in }
    ) -> (outcome: SetupBoot.Outcome, lines: [String]) {
        let place = place ?? folder.path
        let boot = SetupBoot(
            place + "/boot", on: folder.machine, at: SetupPlaces(place + "/gate/gate.toml"), root: place + "/root",
            onStep: onStep)
        return boot.run { ["disk  ok"] }
    }

    /// Writes an answers file that names everything setup can install: a bundle, a display, an invitation in a
    /// file.
    private func writeAnswers(_ more: String = "") throws {
        try folder.trust.write(
            "boot/gatehouse-setup.toml",
            """
            name = "North"
            board = "pi4"
            display = "framebuffer"
            trust-bundle = "gates.bundle"
            bundle-key = "\(folder.trust.operatorKey.publicKey.text)"
            invitation = "agent.json"
            \(more)
            """)
        try folder.trust.write("boot/agent.json", SetupFixture.invitation(id: Self.secret))
        try Data(folder.trust.bundle(7)).write(to: URL(fileURLWithPath: folder.path + "/boot/gates.bundle"))
        try FileManager.default.createDirectory(atPath: folder.path + "/gate/state", withIntermediateDirectories: true)
        try folder.trust.write(
            "root/usr/lib/systemd/system/gatehouse.service", "[Service]\nUser=gatehouse\nDevicePolicy=closed\n")
        try FileManager.default.createDirectory(
            atPath: folder.path + "/root/etc/systemd/system", withIntermediateDirectories: true)
    }

    private func text(_ place: String, _ name: String) -> String? {
        FileManager.default.contents(atPath: place + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a gate is set up according to the answer file, and no file of the setup is left.
    private func isDone(_ place: String) throws -> Bool {
        let configuration = try Configuration.load(place + "/gate/gate.toml")
        let names = try FileManager.default.contentsOfDirectory(atPath: place + "/boot").sorted()
        let gate = try FileManager.default.contentsOfDirectory(atPath: place + "/gate").sorted()
        let fault = try TrustState(configuration.trust).read().fault
        return configuration.kiosk.name == "North" && configuration.gpio.chip == "pinctrl-bcm2711" && fault == nil
            && text(place, "gate/agent.invitation") == SetupFixture.invitation(id: Self.secret)
            && text(place, "root/etc/systemd/system/gatehouse.service.d/10-setup.conf")?.contains("char-fb") == true
            && names == ["gatehouse-setup.result.txt", "gates.bundle"]
            && gate == ["agent.invitation", "gate.toml", "state"]
    }

    @Test func aFileIsCarriedOutOnce() throws {
        try writeAnswers()
        let (outcome, lines) = run()
        #expect(outcome == .done, "\(lines)")
        #expect(try isDone(folder.path))
        let result = try #require(folder.read("boot/gatehouse-setup.result.txt"))
        #expect(result.hasPrefix("Gatehouse setup\n\nThe gate is set up; gatehouse-setup.toml was removed.\n"))
        #expect(result.contains("trust: bundle 7, valid until 2030-03-17") && result.hasSuffix("\ndisk  ok\n"))
        #expect(!result.contains(Self.secret) && !lines.joined().contains(Self.secret))
        // A second start finds nothing to do.
        let before = folder.read("gate/gate.toml")
        #expect(run().outcome == .nothing && folder.read("gate/gate.toml") == before)
        #expect(folder.read("boot/gatehouse-setup.result.txt") == result)
    }

    /// The disk as a power cut leaves it after each step, and then the next start: either the file still exists or the
    /// configuration is complete, and in the end all is done.
    @Test func aCutAtAnyStep() throws {
        try writeAnswers()
        let copies = folder.path + "-cuts"
        defer { try? FileManager.default.removeItem(atPath: copies) }
        try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
        var steps: [SetupBoot.Step] = []
        let whole = folder.path
        _ = run { step in
            try? FileManager.default.copyItem(atPath: whole, toPath: "\(copies)/\(steps.count)")
            steps.append(step)
        }
        #expect(steps.count > 25 && steps.first == .begun && steps.last == .done, "\(steps.count)")
        for part in [SetupWork.Step.trust, .invitation, .dropIn, .configuration] {
            #expect(steps.contains(.work(part)))
        }
        let erased: [SetupBoot.Step] = [.file(.written), .file(.done)]
        #expect(Array(steps.suffix(7)) == [.claimed] + erased + [.erased] + erased + [.done])
        let configured = try #require(steps.firstIndex(of: .work(.configuration)))
        for (number, step) in steps.enumerated() {
            let place = "\(copies)/\(number)"
            let files = FileManager.default
            let hasFile = files.fileExists(atPath: place + "/boot/gatehouse-setup.toml")
            let hasConfiguration = files.fileExists(atPath: place + "/gate/gate.toml")
            #expect(hasFile || hasConfiguration, "\(number) \(step)")
            if hasConfiguration { _ = try Configuration.load(place + "/gate/gate.toml") }
            if number < configured { #expect(hasFile, "\(number) \(step)") }
            let (outcome, lines) = run(in: place)
            #expect(outcome == (hasFile ? .done : .nothing), "\(number) \(step): \(lines)")
            #expect(try isDone(place), "\(number) \(step): \(files.subpaths(atPath: place) ?? [])")
            #expect(run(in: place).outcome == .nothing)
            // No secret is left in any file except the one that the service reads.
            for path in try files.subpathsOfDirectory(atPath: place) where !path.hasSuffix("/agent.invitation") {
                #expect(text(place, path)?.contains(Self.secret) != true, "\(number) \(step): \(path)")
            }
        }
    }

    /// A file that could not be removed does not set up a machine again, not even after its board or its configuration
    /// has changed.
    @Test func theConfigurationNamesTheFileThatItWasMadeOf() throws {
        try writeAnswers("replace = true")
        let answers = try #require(folder.read("boot/gatehouse-setup.toml"))
        #expect(run().outcome == .done)
        let configuration = try #require(folder.read("gate/gate.toml"))
        let edited = configuration.replacingOccurrences(of: "\"North\"", with: "\"Edited\"")
        try folder.trust.write("gate/gate.toml", edited)
        try folder.trust.write("boot/gatehouse-setup.toml", answers)
        #expect(run().outcome == .done && folder.read("gate/gate.toml") == edited)
        #expect(folder.read("boot/gatehouse-setup.toml") == nil)
        // A changed answer file is carried out, and a copy of the previous configuration is kept.
        try folder.trust.write("boot/agent.json", SetupFixture.invitation(id: Self.secret))
        try folder.trust.write("boot/gatehouse-setup.toml", answers + "\n# once more\n")
        #expect(run().outcome == .done)
        #expect(
            folder.read("gate/gate.toml")?.contains("\"North\"") == true
                && folder.read("gate/gate.toml.before-1") == edited)
    }

    /// The same card is prepared again, with a new invitation next to the same answer file.
    @Test func filesNextToTheSameFileAreCarriedOut() throws {
        try writeAnswers()
        #expect(run().outcome == .done)
        let first = try #require(folder.read("gate/gate.toml"))
        try writeAnswers()
        let next = SetupFixture.invitation(id: "another-once")
        try folder.trust.write("boot/agent.json", next)
        let (outcome, lines) = run()
        #expect(outcome == .done && lines.contains { $0.hasPrefix("invitation: ") }, "\(lines)")
        #expect(folder.read("gate/agent.invitation") == next && folder.read("boot/agent.json") == nil)
        // The configuration has the same settings, so no copy of the previous one is kept.
        #expect(folder.names("gate") == ["agent.invitation", "gate.toml", "state"])
        let second = try #require(folder.read("gate/gate.toml"))
        #expect(second != first && !second.contains("agent.json"))
        // A newer bundle is imported, too.
        try writeAnswers()
        try folder.trust.write("boot/agent.json", next)
        try Data(folder.trust.bundle(8)).write(to: URL(fileURLWithPath: folder.path + "/boot/gates.bundle"))
        #expect(run().lines.contains { $0.hasPrefix("trust: bundle 8") })
        // The third time, nothing is new: the same invitation and bundle, as if they could not be removed.
        let third = folder.read("gate/gate.toml")
        try writeAnswers()
        try folder.trust.write("boot/agent.json", next)
        try Data(folder.trust.bundle(8)).write(to: URL(fileURLWithPath: folder.path + "/boot/gates.bundle"))
        let again = run()
        #expect(again.outcome == .done && again.lines.contains { $0.contains("nothing was changed") }, "\(again.lines)")
        #expect(folder.read("gate/gate.toml") == third && folder.read("boot/agent.json") == nil)
    }

    /// A change that an administrator made in the configuration stays, and so does the invitation.
    @Test func filesNotCarriedOutAreNotRemoved() throws {
        try writeAnswers()
        #expect(run().outcome == .done)
        let edited = try #require(folder.read("gate/gate.toml")).replacingOccurrences(
            of: "\"North\"", with: "\"Edited\"")
        try folder.trust.write("gate/gate.toml", edited)
        try writeAnswers()
        let next = SetupFixture.invitation(id: "another-once")
        try folder.trust.write("boot/agent.json", next)
        let (outcome, lines) = run()
        #expect(outcome == .wrong && lines.joined().contains("replace = true"), "\(lines)")
        #expect(folder.read("boot/agent.json") == next && folder.read("gate/gate.toml") == edited)
        #expect(folder.read("gate/agent.invitation") == SetupFixture.invitation(id: Self.secret))
    }

    /// A power cut before the old invitation was removed, and then a new answer file with an invitation of the same
    /// name.
    @Test func aNewInvitationDoesNotGoWithAnOldFile() throws {
        try writeAnswers()
        let cut = folder.path + "-cut"
        defer { try? FileManager.default.removeItem(atPath: cut) }
        let whole = folder.path
        _ = run { step in
            if step == .renamed { try? FileManager.default.copyItem(atPath: whole, toPath: cut) }
        }
        let next = SetupFixture.invitation(id: "another-once")
        let answers = try #require(text(cut, "boot/gatehouse-setup.done"))
        try Data((answers + "# once more\nreplace = true\n").utf8).write(
            to: URL(fileURLWithPath: cut + "/boot/gatehouse-setup.toml"))
        try Data(next.utf8).write(to: URL(fileURLWithPath: cut + "/boot/agent.json"))
        let (outcome, lines) = run(in: cut)
        #expect(outcome == .done && text(cut, "gate/agent.invitation") == next, "\(lines)")
        #expect(text(cut, "boot/agent.json") == nil && text(cut, "boot/gatehouse-setup.done") == nil)
    }

    /// Neither the journal nor the answer, which every user can read, contains an invitation that lacks its scheme.
    @Test func anInvitationWithoutItsSchemeIsNotPrinted() throws {
        try folder.trust.write(
            "boot/gatehouse-setup.toml",
            "name = \"N\"\nboard = \"none\"\ninvitation = \"agent.example/?oob=\(Self.secret)\"\n")
        let (outcome, lines) = run()
        let result = try #require(folder.read("boot/gatehouse-setup.result.txt"))
        #expect(outcome == .wrong && result.contains("without \"https://\""), "\(result)")
        #expect(!result.contains(Self.secret) && !lines.joined().contains(Self.secret))
    }

    @Test func aWrongFileIsAnsweredAndPutAside() throws {
        for (text, words) in [
            (
                "name = \"a b\"\nboard = \"pi9\"\npulse = \"1h\"\n",
                ["one of pi5", "1 to 14", "from 50ms", ":1: name", "3 problems"]
            ),
            ("name = North", ["is not TOML", ":1: "]), ("", ["name is missing", "board is missing"]),
            (
                "name = \"N\"\nboard = \"none\"\ntrust-bundle = \"absent\"\nbundle-key = \"\(key)\"\n",
                ["absent", "names a file that does not exist"]
            ),
            (
                "name = \"N\"\nboard = \"none\"\ninvitation = \"https://a.example/?oob=\(Self.secret)\"\n",
                ["invitation", "copy it"]
            ),
            (String(repeating: "#", count: 200_000), ["is too long"]),
        ] {
            try folder.trust.write("boot/gatehouse-setup.toml", text)
            let (outcome, lines) = run()
            #expect(outcome == .wrong, "\(lines)")
            let result = folder.read("boot/gatehouse-setup.result.txt") ?? ""
            for word in words { #expect(result.contains(word), "\(word) in \(result)") }
            #expect(
                result.contains("Nothing was changed") && result.contains("what to do: ")
                    && !result.contains(Self.secret))
            #expect(folder.names("boot") == ["gatehouse-setup.result.txt", "gatehouse-setup.wrong.toml"])
            #expect(folder.read("boot/gatehouse-setup.wrong.toml") == text && folder.names("gate").isEmpty)
            #expect(run().outcome == .nothing, "it is not tried again")
        }
    }

    private var key: String { folder.trust.operatorKey.publicKey.text }

    @Test func existingFilesOfTheGateStay() throws {
        try folder.trust.write("gate/gate.toml", "[kiosk]\nname = \"Mine\"\n")
        try folder.trust.write("boot/gatehouse-setup.toml", "name = \"N\"\nboard = \"none\"\n")
        let (outcome, lines) = run()
        #expect(outcome == .wrong && lines.joined(separator: "\n").contains("replace = true"), "\(lines)")
        #expect(folder.read("gate/gate.toml") == "[kiosk]\nname = \"Mine\"\n")
    }

    @Test func somethingElseInItsPlace() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path + "/boot/gatehouse-setup.toml", withIntermediateDirectories: true)
        let (outcome, lines) = run()
        #expect(outcome == .wrong && lines.joined().contains("is not a file"), "\(lines)")
        #expect(run().outcome == .nothing)
        // A symbolic link, even to a valid file: its target must not be overwritten.
        try folder.trust.write("good.toml", "name = \"N\"\nboard = \"none\"\n")
        try FileManager.default.removeItem(atPath: folder.path + "/boot/gatehouse-setup.wrong.toml")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/boot/gatehouse-setup.toml", withDestinationPath: folder.path + "/good.toml")
        #expect(run().outcome == .wrong && folder.read("good.toml") != nil && folder.names("gate").isEmpty)
    }

    /// An error of the disk is no mistake in the answer file, which stays for the next start.
    @Test func aDiskThatRefuses() throws {
        try writeAnswers()
        try FileManager.default.removeItem(atPath: folder.path + "/gate")
        try folder.trust.write("gate", "in the way")
        let (outcome, lines) = run()
        #expect(outcome == .refused && lines.joined().contains("is kept for the next boot"), "\(lines)")
        #expect(folder.names("boot").contains("gatehouse-setup.toml"))
        #expect(folder.read("boot/gatehouse-setup.result.txt")?.contains("is kept for the next boot") == true)
        try FileManager.default.removeItem(atPath: folder.path + "/gate")
        try FileManager.default.createDirectory(atPath: folder.path + "/gate/state", withIntermediateDirectories: true)
        #expect(run().outcome == .done)
        #expect(try isDone(folder.path))
    }

    @Test func aPartitionThatCannotBeWrittenTo() throws {
        try writeAnswers()
        // The result file cannot be written, so setup changes nothing: the answer file could not be removed either.
        try FileManager.default.createDirectory(
            atPath: folder.path + "/boot/gatehouse-setup.result.txt/x", withIntermediateDirectories: true)
        let (outcome, lines) = run()
        #expect(outcome == .refused && lines.joined().contains("Nothing was done"), "\(lines)")
        #expect(folder.names("gate") == ["state"])
    }

    /// A setup removes no file outside the boot partition.
    @Test func onlyFilesNextToItAreRemoved() throws {
        try folder.trust.write("elsewhere.json", SetupFixture.invitation())
        try folder.trust.write(
            "boot/gatehouse-setup.toml", "name = \"N\"\nboard = \"none\"\ninvitation = \"../elsewhere.json\"\n")
        #expect(run().outcome == .done && folder.read("elsewhere.json") != nil)
    }

    /// Any computer can write a file with the name of a finished answer file. Such a file causes the removal only of an
    /// invitation that a setup has used.
    @Test func aFileThatWasNeverCarriedOutTakesNothingAway() throws {
        try writeAnswers()
        #expect(run().outcome == .done)
        let others = ["config.txt": "arm_64bit=1\n", "next.json": SetupFixture.invitation(id: "another-once")]
        for (name, text) in others { try folder.trust.write("boot/" + name, text) }
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/boot/link.json", withDestinationPath: folder.path + "/gate/agent.invitation")
        for name in ["config.txt", "next.json", "link.json", "gates.bundle", ".", "..", "gatehouse-setup.result.txt"] {
            try folder.trust.write(
                "boot/gatehouse-setup.done", "name = \"North\"\nboard = \"pi4\"\ninvitation = \"\(name)\"\n")
            let before = folder.names("boot").filter { $0 != "gatehouse-setup.done" }
            _ = run()
            #expect(folder.names("boot") == before, "\(name)")
        }
        for (name, text) in others { #expect(folder.read("boot/" + name) == text) }
        #expect(folder.read("gate/agent.invitation") == SetupFixture.invitation(id: Self.secret))
        #expect(folder.read("boot/gatehouse-setup.result.txt")?.hasPrefix("Gatehouse setup") == true)
        // A power cut after the invitation was used and before it was removed: the next start removes it.
        try folder.trust.write("boot/agent.json", SetupFixture.invitation(id: Self.secret))
        try folder.trust.write(
            "boot/gatehouse-setup.done", "name = \"North\"\nboard = \"pi4\"\ninvitation = \"agent.json\"\n")
        #expect(run().outcome == .nothing && folder.read("boot/agent.json") == nil)
    }
}
