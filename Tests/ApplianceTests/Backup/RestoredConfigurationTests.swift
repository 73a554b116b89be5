import Credentials
import Features
import Foundation
import LinuxIO
import Settings
import Testing

@testable import Backup

/// The effects of a tampered backup on a gate: none that the operator does not see.
@Suite(.timeLimit(.minutes(5))) struct RestoredConfigurationTests {
    private let passphrase = Array("five words are quite good".utf8)
    private let box: BackupBox
    private let card: BackupBox
    /// A place that belongs to no gate.
    private let outside: BackupBox

    init() async throws {
        (box, card, outside) = (try BackupBox(), try BackupBox(), try BackupBox())
        try await box.serve(2)
        _ = try await box.making.make(box.path("usb/b"))
        _ = try await box.making.make(box.path("usb/keys"), passphrase: passphrase)
    }

    private func text(_ section: String) throws -> String {
        String(decoding: try box.read("gate.toml"), as: UTF8.self) + section
    }

    private func files(_ box: BackupBox) -> [String] {
        FileManager.default.enumerator(atPath: box.folder.path)?.compactMap { $0 as? String }.sorted() ?? []
    }

    /// Returns why a restore refuses the file, and expects that the box is unchanged.
    private func refusal(_ file: String, _ passphrase: [UInt8]? = nil) async throws -> String {
        let before = (files(card), files(outside))
        let restoring = try card.restoring
        do throws(BackupFailure) {
            _ = try await restoring.restore(file, .with(passphrase, configuration: true))
            return ""
        } catch {
            #expect(files(card) == before.0 && files(outside) == before.1, "something was changed")
            #expect(!error.remedy.isEmpty)
            return error.text
        }
    }

    @Test func rootWritesNowhereElse() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: card.path("state/link"), withDestinationPath: outside.path("usb"))
        let place = outside.path("usb/g")
        for (number, (key, section)) in [
            ("policy.file", "[policy]\nfile = \"\(place)\"\n"),
            ("policy.file", "[policy]\nfile = \"\(card.path("x"))/../../\(outside.folder.lastPathComponent)/usb/g\"\n"),
            ("policy.file", "[policy]\nfile = \"state/link/g\"\n"),
            ("policy.file", "[policy]\nfile = \".ssh/authorized_keys\"\n"),
            ("policy.file", "[policy]\nfile = \"/etc/nowhere-\(UUID().uuidString)/g\"\n"),
        ].enumerated() {
            let forged = box.path("usb/forged-\(number)")
            try ForgedArchive.write(
                box.path("usb/b"), to: forged, configuration: text(section), policy: "* * * * * root true\n")
            #expect(try await refusal(forged).hasPrefix("\(key) of the configuration in the backup"), "\(section)")
        }
        let whole = try text("")
        for (number, (key, before, after)) in [
            ("trust.directory", "directory = \"trust\"", "directory = \"\(outside.path("usb/gatehouse.service.d"))\""),
            ("trust.state", "state = \"state/trust\"", "state = \"\(place)\""),
            ("ledger.path", "path = \"state/gatehouse.db\"", "path = \"\(place)\""),
            (
                "ledger.witnessKey", "path = \"state/gatehouse.db\"",
                "path = \"state/gatehouse.db\"\nwitnessKey = \"\(place)\""
            ),
        ].enumerated() {
            let (forged, edited) = (
                box.path("usb/other-\(number)"), whole.replacingOccurrences(of: before, with: after)
            )
            #expect(edited != whole)
            try ForgedArchive.write(box.path("usb/b"), to: forged, configuration: edited)
            #expect(try await refusal(forged).hasPrefix("\(key) of the configuration in the backup"), "\(after)")
        }
        // A path that the operator has written in the configuration on this card is accepted.
        try card.write("gate.toml", text("[policy]\nfile = \"\(place)\"\n"))
        try ForgedArchive.write(
            box.path("usb/b"), to: box.path("usb/own"), configuration: text("[policy]\nfile = \"\(place)\"\n"))
        #expect(try await refusal(box.path("usb/own")) == "")
    }

    @Test func anInvalidPolicyIsRefusedFirst() async throws {
        try ForgedArchive.write(
            box.path("usb/b"), to: box.path("usb/forged"), configuration: text("[policy]\nfile = \"rules.toml\"\n"),
            policy: "* * * * * root true\n")
        #expect(try await refusal(box.path("usb/forged")).hasPrefix("policy.toml in the backup cannot be used"))
    }

    /// The passphrase proves every file, including those that it does not encrypt.
    @Test func withKeysNothingInItCanBeEdited() async throws {
        let changes: [ForgedArchive.Change] = [
            { files in
                guard let index = files.firstIndex(where: { $0.name == BackupManifest.Name.configuration }) else {
                    return
                }
                files[index].bytes += Array("[gate]\npulse = \"999ms\"\n".utf8)
            }, { $0.append((BackupManifest.Name.trust + "did/x.json", Array("{}".utf8))) },
            { files in files.removeAll { $0.name.hasPrefix(BackupManifest.Name.trust) } },
        ]
        for (number, change) in zip(0..., changes) {
            let forged = box.path("usb/forged-\(number)")
            try ForgedArchive.write(box.path("usb/keys"), to: forged, change)
            #expect(try await refusal(forged, passphrase).contains("or the backup was changed"))
            await #expect(throws: BackupFailure.self) {
                try await card.restoring.check(forged, passphrase: passphrase)
            }
        }
        let done = try await card.restoring.restore(box.path("usb/keys"), .with(passphrase, configuration: true))
        #expect(!done.notices.contains { $0.hasPrefix("no key proves") }, "\(done.notices)")
    }

    /// An attacker with write access to the stick cannot make the service run a program. The operator can: by
    /// naming the program in the configuration here, by opening the keys, or with an option.
    @Test(arguments: ["none", "en"]) func aProgramThatNothingProvesIsNotTaken(_ language: String) async throws {
        let program = outside.path("usb/say")
        let forged = box.path("usb/forged")
        let section = "[voice]\nlanguage = \"\(language)\"\nprogram = \"\(program)\"\n"
        try ForgedArchive.write(box.path("usb/b"), to: forged, configuration: text(section))
        let refusal = try await refusal(forged)
        #expect(refusal.hasPrefix("voice.program of the configuration in the backup") && refusal.hasSuffix(program))
        let check = try await card.restoring.check(forged, passphrase: nil)
        #expect(check.notices.contains { $0.hasPrefix(refusal) }, "\(check.notices)")
        // The configuration on this card already names the program.
        let own = try card.read("gate.toml")
        try card.write("gate.toml", text(section))
        #expect(try await self.refusal(forged) == "")
        // Without that, the operator's option.
        try card.write("gate.toml", String(decoding: own, as: UTF8.self))
        let word = try await card.restoring.restore(
            forged, .with(replaces: true, configuration: true, programs: true))
        #expect(word.notices.contains { $0.contains("voice.program") && $0.hasSuffix(program) }, "\(word.notices)")
        #expect(try Configuration.load(card.path("gate.toml"))[VoiceSection.self].program == program)
    }

    /// A program that is proved by keys belongs to the gate, and the standard program to every gate.
    @Test func aProgramThatKeysProveIsTaken() async throws {
        try box.write("gate.toml", text("[voice]\nlanguage = \"en\"\nprogram = \"/opt/say\"\n"))
        _ = try await box.making.make(box.path("usb/own"), passphrase: passphrase)
        let standard = box.path("usb/standard")
        try ForgedArchive.write(
            box.path("usb/b"), to: standard,
            configuration: text("").replacingOccurrences(of: "program = \"/opt/say\"", with: ""))
        #expect(try await refusal(standard) == "")
        _ = try await card.restoring.restore(
            box.path("usb/own"), .with(passphrase, replaces: true, configuration: true))
        #expect(try Configuration.load(card.path("gate.toml"))[VoiceSection.self].program == "/opt/say")
    }

    /// Before the restore, and after it, the operator reads whose keys would be trusted.
    @Test func withoutKeysItNamesTheTrustedKeys() async throws {
        let keys = try [3, 4].map {
            try #require(OperatorSigningKey(seed: [UInt8](repeating: $0, count: 32))).publicKey.text
        }
        let configuration = try text("[fleet]\nkeys = [\"\(keys[1])\"]\n").replacingOccurrences(
            of: "directory = \"trust\"", with: "directory = \"trust\"\nbundleKeys = [\"\(keys[0])\"]")
        try ForgedArchive.write(box.path("usb/b"), to: box.path("usb/forged"), configuration: configuration)
        let check = try await card.restoring.check(
            box.path("usb/forged"), passphrase: nil)
        let done = try await card.restoring.restore(box.path("usb/forged"), .with(configuration: true))
        for notices in [check.notices, done.notices] {
            #expect(notices.contains { $0.hasPrefix("no key proves configuration") }, "\(notices)")
            #expect(notices.contains { $0.contains("trust.bundleKeys") && $0.hasSuffix(keys[0]) }, "\(notices)")
            #expect(notices.contains { $0.contains("fleet.keys") && $0.hasSuffix(keys[1]) }, "\(notices)")
        }
    }
}
