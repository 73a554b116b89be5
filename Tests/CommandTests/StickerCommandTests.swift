import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse sticker`: a key is made once, the picture as often as needed.
@Suite struct StickerCommandTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func day(_ away: Double) -> String {
        String(ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 86_400 * away)).prefix(10))
    }

    private func configure(_ away: Double) throws {
        try folder.write(
            "gate.toml", "[kiosk]\nname = \"North-Gate\"\n[sticker]\nkey = \"sticker.key\"\nuntil = \"\(day(away))\"\n")
    }

    private func sticker(_ picture: String) async throws -> Ending {
        try await folder.gatehouse("sticker", "--config", "gate.toml", "--png", picture)
    }

    @Test func theKeyIsMadeOnceAndThePictureIsWritten() async throws {
        try configure(10)
        let check = try await folder.gatehouse("config", "check", "gate.toml")
        #expect(
            check.code == 0 && check.errors.contains("40 bits") && check.errors.contains("is not there"), "\(check)")
        let first = try await sticker("one.png")
        #expect(first.code == 0 && first.output.contains("made: ") && first.errors.contains("40 bits"), "\(first)")
        let key = try Data(contentsOf: folder.url.appendingPathComponent("sticker.key"))
        let one = try Data(contentsOf: folder.url.appendingPathComponent("one.png"))
        #expect(one.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        let second = try await sticker("two.png")
        #expect(second.code == 0 && !second.output.contains("made: "), "\(second)")
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("two.png")) == one)
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("sticker.key")) == key)
        let third = try await sticker("one.png")
        #expect(third.code == 2 && third.hasRemedy, "\(third)")
        let good = try await folder.gatehouse("config", "check", "gate.toml")
        #expect(
            good.code == 0 && good.errors.contains("40 bits") && !good.errors.contains("is not in force"), "\(good)")
        for output in [first.output + first.errors, good.output + good.errors] {
            #expect(!output.contains(String(decoding: key.prefix(64), as: UTF8.self)), "no key is told")
        }
    }

    /// A key that this user may not read exists nevertheless, for every date.
    @Test func aKeyThatMayNotBeSeenIsNoneToMake() async throws {
        try folder.write(
            "gate.toml",
            "[kiosk]\nname = \"North-Gate\"\n[sticker]\nkey = \"kept/sticker.key\"\nuntil = \"\(day(33))\"\n")
        try folder.write("kept/sticker.key", "")
        try folder.setMode("kept", 0)
        defer { try? folder.setMode("kept", 0o700) }
        let ending = try await folder.confinedGatehouse(["sticker", "--config", "gate.toml", "--png", "one.png"])
        #expect(ending.code == 2 && ending.hasRemedy && ending.output.isEmpty, "\(ending)")
        #expect(ending.errors.contains("kept/sticker.key may not be read by the user "), "\(ending)")
    }

    /// As in docs/maintenance.md: both files are removed, and a new key is made.
    @Test func aKeyThatWasTakenAwayIsMadeAnew() async throws {
        try configure(10)
        #expect(try await sticker("old.png").code == 0)
        let key = try Data(contentsOf: folder.url.appendingPathComponent("sticker.key"))
        try folder.write("sticker.key.sessions", "of the old key")
        for name in ["sticker.key", "sticker.key.sessions"] {
            try FileManager.default.removeItem(atPath: folder.path(name))
        }
        let ending = try await sticker("new.png")
        #expect(ending.code == 0 && ending.output.contains("made: "), "\(ending)")
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("sticker.key")) != key)
        #expect(
            try Data(contentsOf: folder.url.appendingPathComponent("new.png"))
                != Data(contentsOf: folder.url.appendingPathComponent("old.png")))
    }

    @Test(arguments: [-2.0, 33]) func aDayThatCannotBeMakesNoKey(_ away: Double) async throws {
        try configure(away)
        let ending = try await sticker("one.png")
        #expect(ending.code == 2 && ending.hasRemedy, "\(ending)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!files.contains { $0.hasPrefix("sticker.key") || $0.hasSuffix(".png") })
    }

    @Test func withoutAConfiguredCodeThereIsNone() async throws {
        try folder.write("gate.toml", "[kiosk]\nname = \"North-Gate\"\n")
        #expect(try await sticker("one.png").code == 2)
    }
}
