import Credentials
import Encoding
import Features
import Foundation
import LinuxIO
import Settings
import TestKit
import Testing

/// One signed bundle for many gates: each gate takes its own part, after a complete check, and never an older
/// bundle.
@Suite struct FleetTests {
    private let folder: TestFolder
    private let key: OperatorSigningKey
    private let other: OperatorSigningKey
    private let now = Timestamp(seconds: 1_790_000_100)

    init() throws {
        folder = try TestFolder("fleet")
        key = try #require(OperatorSigningKey(seed: [UInt8](repeating: 1, count: 32)))
        other = try #require(OperatorSigningKey(seed: [UInt8](repeating: 2, count: 32)))
        try write("gate.toml", "[kiosk]\nname = \"North\"\n[fleet]\nkeys = [\"\(key.publicKey.text)\"]\n")
    }

    private func path(_ name: String) -> String { folder.path(name) }
    private func write(_ name: String, _ text: String) throws { try folder.write(name, text) }
    private func read(_ name: String) throws -> String { try folder.read(name) }

    private var state: FleetState {
        get throws { FleetState(try Configuration.load(path("gate.toml")), file: path("gate.toml")) }
    }

    private func bundle(
        _ number: Int, common: String? = nil, kiosks: [Text: String] = [:], by signer: OperatorSigningKey? = nil,
        until: Timestamp = Timestamp(seconds: 1_800_000_000)
    ) throws -> [UInt8] {
        let keys = "[fleet]\nkeys = [\"\(key.publicKey.text)\"]\n"
        var files: [Text: [UInt8]] = ["common.toml": Array((common ?? "[gate]\npulse = \"250ms\"\n" + keys).utf8)]
        for (name, text) in kiosks.isEmpty
            ? ["North": "[kiosk]\nname = \"North\"\n", "South": "[kiosk]\nname = \"South\"\n"] : kiosks
        {
            files[Text("kiosks/\(name).toml")] = Array(text.utf8)
        }
        let edition = TrustEdition(
            version: number, digest: [], issued: Timestamp(seconds: 1_790_000_000), validUntil: until)
        return try TrustBundle.write(edition, files: files, key: signer ?? key, as: .configuration)
    }

    private func refusal(_ bytes: [UInt8], at date: Timestamp? = nil) throws -> String {
        let before = try (read("gate.toml"), Directory.names(in: folder.path))
        do { _ = try state.install(bytes, at: date ?? now) } catch {
            let after = try (read("gate.toml"), Directory.names(in: folder.path))
            #expect(after == before, "something was changed")
            return "\(error)"
        }
        return ""
    }

    @Test func aGateImportsItsPartAndNeverAnOlderOne() throws {
        let hand = try read("gate.toml")
        let first = try state.install(
            try bundle(3, kiosks: ["North": "[kiosk]\nname = \"North\"\n[gate]\npulse = \"300ms\"\n"]), at: now)
        #expect(first.isNew && first.edition.version == 3)
        let configuration = try Configuration.load(path("gate.toml"))
        #expect(configuration.gate.pulse == .milliseconds(300) && configuration.kiosk.id == "North")
        #expect(try read("gate.toml").hasPrefix("# configuration bundle 3 sha256:"))
        #expect(try read("gate.toml.before") == hand)
        #expect(try state.edition?.version == 3)
        #expect(try refusal(bundle(2)).contains("rollBack"))
        #expect(try refusal(bundle(3)).contains("conflict"))
        let next = try bundle(4)
        #expect(try state.install(next, at: now).isNew)
        #expect(try Configuration.load(path("gate.toml")).gate.pulse == .milliseconds(250))
        #expect(try !state.install(next, at: now).isNew)
        // A configuration that was changed by hand is repaired, and the changed one is kept.
        try write("gate.toml", try read("gate.toml").replacingOccurrences(of: "250ms", with: "260ms"))
        #expect(try state.install(next, at: now).isNew)
        #expect(try Configuration.load(path("gate.toml")).gate.pulse == .milliseconds(250))
        #expect(try read("gate.toml.before").contains("260ms"))
        // Long after its validity, the bundle in force may still repair the file, but no other bundle is
        // accepted.
        let late = Timestamp(seconds: 1_900_000_000)
        #expect(try !state.install(next, at: late).isNew)
        #expect(try refusal(bundle(5), at: late).contains("stale"))
    }

    @Test func aRefusedImportChangesNothing() throws {
        #expect(try refusal(bundle(1, by: other)).contains("no operator's key has signed"))
        var bytes = try bundle(1)
        bytes[bytes.count - 3] ^= 1
        #expect(try refusal(bytes).contains("is not the file that was signed"))
        #expect(try refusal(Array(bytes.dropLast(9))).contains("the end of the bundle is missing"))
        // A trust bundle is refused as a configuration, also one that the same key signed.
        let edition = TrustEdition(
            version: 9, digest: [], issued: Timestamp(seconds: 1), validUntil: Timestamp(seconds: 1_800_000_000))
        let trust = try TrustBundle.write(edition, files: ["issuers.toml": []], key: key)
        #expect(try refusal(trust).contains("not a bundle of this kind"))
        #expect(throws: TrustBundle.Failure.notABundle) { try TrustBundle(bundle(1), keys: [key.publicKey]) }
        let keys = "[fleet]\nkeys = [\"\(key.publicKey.text)\"]\n"
        #expect(
            try refusal(bundle(1, kiosks: ["South": "[kiosk]\nname = \"South\"\n"])).contains(
                "no part for the gate North"))
        #expect(
            try refusal(bundle(1, kiosks: ["North": "[kiosk]\nname = \"South\"\n"])).contains("kiosk.id would be South")
        )
        #expect(try refusal(bundle(1, common: "[gate]\npulse = \"200ms\"\n")).contains("no fleet.keys"))
        #expect(try refusal(bundle(1, common: keys + "[gate]\npulse = \"9s\"\n")).contains("gate.pulse"))
        #expect(try refusal(bundle(1, common: keys + "[gaet]\npulse = \"9s\"\n")).contains("is not a known key"))
        #expect(try refusal(bundle(1, common: "[gate\n")).contains("is not TOML"))
        // A gate without keys accepts no bundle.
        try write("gate.toml", "[kiosk]\nname = \"North\"\n")
        #expect(try refusal(bundle(1)).contains("noKeys"))
        #expect(throws: TrustBundle.Failure.self) {
            try TrustBundle.write(edition, files: ["kiosks/../x.toml": []], key: key, as: .configuration)
        }
    }

    /// A power cut at each step: the configuration is complete, and the same import finishes the work.
    @Test func aCutLeavesAWholeConfiguration() throws {
        let bytes = try bundle(7)
        var copies: [URL] = []
        let keepCopy: (DurableFile.Step) -> Void = { _ in
            let copy = folder.url.appendingPathExtension("cut-\(copies.count)")
            try? FileManager.default.copyItem(at: folder.url, to: copy)
            copies.append(copy)
        }
        _ = try state.install(bytes, at: now, onStep: keepCopy)
        #expect(copies.count >= 8)
        for copy in copies {
            let file = copy.appendingPathComponent("gate.toml").path
            let cut = FleetState(try Configuration.load(file), file: file)
            #expect(try cut.install(bytes, at: now).edition.version == 7)
            #expect(cut.edition?.version == 7)
            #expect(try Configuration.load(file).gate.pulse == .milliseconds(250))
            try FileManager.default.removeItem(at: copy)
        }
    }

    @Test func aFolderIsReadAsItWillBePacked() throws {
        #expect(throws: FleetConfiguration.Failure.self) { try FleetConfiguration(directory: path("fleet")) }
        try write("fleet/common.toml", "[fleet]\nkeys = [\"\(key.publicKey.text)\"]\n")
        #expect(throws: FleetConfiguration.Failure.self) { try FleetConfiguration(directory: path("fleet")) }
        try write("fleet/kiosks/North.toml", "[kiosk]\nname = \"North\"\n")
        try write("fleet/kiosks/notes.txt", "x")
        #expect(try FleetConfiguration(directory: path("fleet")).kiosks == ["North"])
    }
}
