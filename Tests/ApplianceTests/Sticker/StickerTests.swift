import Clocks
import Encoding
import Foundation
import Kiosk
import LinuxIO
import Reasons
import Settings
import Synchronization
import TestKit
import Testing
import Tuvali

@testable import Features

/// A folder with a printed code's key, and a clock of the test.
final class StickerFolder: Sendable {
    static let made = Timestamp(seconds: 1_767_225_600 + 3600)
    private let folder: TestFolder
    let time = Mutex(WallTime(utc: made, provenance: .rtc))
    let reports = Mutex<[HealthReport]>([])

    init() throws {
        folder = try TestFolder("sticker")
        try StickerKey.make(key, at: Self.made)
    }

    var url: URL { folder.url }

    var key: String { url.appendingPathComponent("sticker.key").path }
    var book: String { StickerKey.sessions(of: key) }

    func section(until day: String = "2026-01-31") throws -> StickerSection {
        let text = "[kiosk]\nname = \"Gate\"\n[sticker]\nkey = \"\(key)\"\nuntil = \"\(day)\""
        return try Configuration.parse(Array(text.utf8), file: "test", folder: url.path)[StickerSection.self]
    }

    func sticker(until day: String = "2026-01-31", limit: Int = UsedSessions.limit) throws -> PrintedCode {
        let wallTime: @Sendable () -> WallTime = { [self] in time.withLock { $0 } }
        let report: HealthReporter = { [self] report in reports.withLock { $0.append(report) } }
        let sticker = PrintedCode(
            try section(until: day), limit: limit, clock: .system, wallTime: wallTime, report: report)
        return try #require(sticker)
    }

    /// The details of the reported faults, in order; an empty text ends a fault.
    var told: [String] { reports.withLock { $0.map { $0.isPresent ? $0.detail ?? "?" : "" } } }

    func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

    func write(_ bytes: [UInt8], to path: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }

    static func session(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 16) }
}

extension PrintedCode {
    /// Writes a session; returns nil once it is durable, otherwise the error.
    fileprivate func kept(_ number: UInt8) async -> String? {
        await withCheckedContinuation { answer in keep(StickerFolder.session(number)) { answer.resume(returning: $0) } }
    }
}

@Suite struct StickerTests {
    // MARK: - Key

    @Test func aKeyIsMadeOnceAndForItsOwnerAlone() throws {
        let folder = try StickerFolder()
        let before = try folder.bytes(folder.key)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.key)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(throws: StickerFailure.self) { try StickerKey.make(folder.key, at: StickerFolder.made) }
        #expect(try folder.bytes(folder.key) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 2)
        #expect(try StickerKey(reading: folder.key).publicKey.count == 32)
    }

    @Test(arguments: [0o640, 0o604, 0o644]) func aKeyThatOthersCanReadIsNone(_ mode: Int) throws {
        let folder = try StickerFolder()
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.key)
        #expect(throws: StickerFailure.self) { try StickerKey(reading: folder.key) }
        let sticker = try folder.sticker()
        #expect(
            sticker.key() == nil && sticker.turn() == false
                && folder.told.first?.contains("read by other users") == true)
    }

    @Test(arguments: ["", "00", "zz 2026-01-01", "not a day"]) func aDamagedKeyIsNone(_ text: String) throws {
        let folder = try StickerFolder()
        let key = text == "not a day" ? String(decoding: try folder.bytes(folder.key).prefix(64), as: UTF8.self) : text
        try folder.write(Array(key.utf8), to: folder.key)
        #expect(try folder.sticker().key() == nil)
    }

    // MARK: - Validity

    @Test func itLivesFromItsMakingToItsLastDay() throws {
        let folder = try StickerFolder()
        let sticker = try folder.sticker(until: "2026-01-03")
        let expected: [(Int64, Bool)] = [
            (-7200, false), (0, true), (2 * 86_400, true), (3 * 86_400 - 3601, true), (3 * 86_400 - 3600, false),
        ]
        for (seconds, isInForce) in expected {
            folder.time.withLock { $0.utc = StickerFolder.made.advanced(by: .seconds(seconds)) }
            #expect((sticker.key() != nil) == isInForce, "\(seconds)")
        }
        #expect(try folder.sticker(until: "2026-02-01").key() == nil, "over by the clock")
        folder.time.withLock { $0.utc = StickerFolder.made }
    }

    @Test func aKeyHasThirtyOneDaysWhateverIsConfigured() throws {
        let folder = try StickerFolder()
        #expect(try folder.section(until: "2026-02-01").problem(at: StickerFolder.made) == nil)
        let problem = try folder.section(until: "2026-02-02").problem(at: StickerFolder.made)
        #expect(problem?.message.contains("31 days") == true)
    }

    @Test func disablingAndEnablingAreReported() throws {
        let folder = try StickerFolder()
        let sticker = try folder.sticker()
        #expect(sticker.turn() == true && sticker.turn() == nil && folder.told.isEmpty)
        for provenance in [WallTime.Provenance.unset, .saved] {
            folder.time.withLock { $0.provenance = provenance }
            #expect(sticker.key() == nil && sticker.turn() == false && sticker.turn() == false)
        }
        #expect(folder.told.count == 1 && folder.told[0].contains("clock"))
        folder.time.withLock { $0.provenance = .synchronised }
        #expect(sticker.turn() == true && sticker.key() != nil && folder.told.last == "")
        folder.time.withLock { $0.utc = StickerFolder.made.advanced(by: .seconds(40 * 86_400)) }
        #expect(sticker.turn() == false && sticker.key() == nil && folder.told.count == 3)
        #expect(folder.reports.withLock { $0.allSatisfy { $0.code == .stickerOff } })
    }

    // MARK: - Book

    @Test(.tags(.realTime)) func storedSessionsSurviveARestart() async throws {
        let folder = try StickerFolder()
        do {
            let sticker = try folder.sticker()
            #expect(sticker.used.count == 0)
            #expect(await sticker.kept(1) == nil)
            // The session is on the disk when the answer arrives; the test does not wait any longer.
            #expect(try folder.bytes(folder.book).count == 32 + 16)
            #expect(await sticker.kept(2) == nil)
            #expect(try folder.sticker().key() == nil, "one at a time has the book")
        }
        let again = try await folder.reopened()
        #expect(again.used.count == 2 && again.key() != nil)
    }

    @Test(.tags(.realTime), arguments: 1...16) func aTornEntryDoesNotCount(_ lost: Int) async throws {
        let folder = try StickerFolder()
        do {
            let sticker = try folder.sticker()
            for number in 1...3 { #expect(await sticker.kept(UInt8(number)) == nil) }
        }
        _ = try await folder.reopened()
        let whole = try folder.bytes(folder.book)
        try folder.write(whole.dropLast(lost) + [], to: folder.book)
        #expect(try await folder.reopened().used.count == 2)
        try folder.write(whole.dropLast(lost) + [UInt8](repeating: 0, count: lost), to: folder.book)
        do {
            let sticker = try await folder.reopened()
            #expect(sticker.used.count == 2 || whole.suffix(lost).allSatisfy { $0 == 0 })
            #expect(await sticker.kept(9) == nil)
        }
        #expect(try await folder.reopened().used.count == 3)
    }

    @Test(.tags(.realTime)) func aDamagedMissingOrForeignSessionLogIsNone() async throws {
        let folder = try StickerFolder()
        do {
            let sticker = try folder.sticker()
            for number in 1...3 { #expect(await sticker.kept(UInt8(number)) == nil) }
        }
        _ = try await folder.reopened()
        let whole = try folder.bytes(folder.book)
        for place in [0, 20, 32, 40, 47, 48, 63] {
            var damaged = whole
            damaged[place] ^= 1
            try folder.write(damaged, to: folder.book)
            #expect(try await folder.reopened(isGood: false).key() == nil, "\(place)")
        }
        try folder.write(Array(whole.prefix(31)), to: folder.book)
        #expect(try await folder.reopened(isGood: false).key() == nil)
        try FileManager.default.removeItem(atPath: folder.book)
        let without = try await folder.reopened(isGood: false)
        #expect(without.key() == nil && !FileManager.default.fileExists(atPath: folder.book))
        #expect(await without.kept(1) != nil)
    }

    @Test(arguments: ["deleted", "replaced", "cut"]) func aSessionLogLostInServiceKeepsTheGateShut(_ how: String)
        async throws
    {
        let folder = try StickerFolder()
        let sticker = try folder.sticker()
        #expect(await sticker.kept(1) == nil)
        let whole = try folder.bytes(folder.book)
        switch how {
        case "cut": try folder.write(Array(whole.prefix(32)), to: folder.book)
        case "replaced":
            try FileManager.default.removeItem(atPath: folder.book)
            try Data(whole).write(to: URL(fileURLWithPath: folder.book))
        default: try FileManager.default.removeItem(atPath: folder.book)
        }
        for _ in 0..<3 { #expect(await sticker.kept(2) != nil) }
    }

    @Test func aSessionThatTheDiskRefusedIsWrittenWithTheNext() throws {
        let folder = try StickerFolder()
        let key = try StickerKey(reading: folder.key)
        let hidden = folder.book + ".hidden"
        do {
            let book = try UsedSessionLog(folder.book, of: key.publicKey)
            try FileManager.default.moveItem(atPath: folder.book, toPath: hidden)
            #expect(throws: StickerFailure.self) { try book.append(7) }
            try FileManager.default.moveItem(atPath: hidden, toPath: folder.book)
            try book.append(8)
            #expect(book.count == 2)
        }
        #expect(try UsedSessionLog(folder.book, of: key.publicKey).used.count == 2)
    }

    @Test func aFullSessionLogEndsTheKey() async throws {
        let folder = try StickerFolder()
        let key = try StickerKey(reading: folder.key)
        do {
            let book = try UsedSessionLog(folder.book, of: key.publicKey, limit: 3)
            for number in 1...3 { try book.append(UInt64(number)) }
            #expect(book.isFull && book.count == 3)
            #expect(throws: StickerFailure.self) { try book.append(4) }
        }
        #expect(throws: StickerFailure.self) { try UsedSessionLog(folder.book, of: key.publicKey, limit: 2) }
        let sticker = try folder.sticker(limit: 4)
        #expect(sticker.key() != nil && sticker.turn() == true)
        #expect(await sticker.kept(9) == nil)
        #expect(await sticker.kept(10) != nil)
        #expect(sticker.key() == nil && sticker.turn() == false && folder.told.last?.contains("full") == true)
    }

    @Test func aSessionWithoutANameIsNotKept() async throws {
        let folder = try StickerFolder()
        let sticker = try folder.sticker()
        let answer = await withCheckedContinuation { answer in sticker.keep([]) { answer.resume(returning: $0) } }
        #expect(answer != nil)
        #expect(try folder.bytes(folder.book).count == 32)
    }

    // MARK: - Configuration

    @Test(arguments: [
        ("key = \"a\"", "sticker.until"), ("until = \"2026-12-31\"", "sticker.key"),
        ("key = \"a\"\nuntil = \"2026-02-30\"", "sticker.until"), ("key = \"a\"\nuntil = \"soon\"", "sticker.until"),
        ("key = \"a\"\nuntil = \"2026-12-31\"\n[gate]\nwhenLedgerFails = \"open\"", "sticker.key"),
    ]) func incompatibleSettingsAreRefused(_ text: String, _ key: String) throws {
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration.parse(
                Array("[kiosk]\nname = \"Gate\"\n[sticker]\n\(text)".utf8), file: "test", folder: "/tmp")
        }
        #expect(error?.problems.map(\.key) == [key] && error?.problems.first?.line != nil)
    }

    @Test func theConfigurationCheckWarns() throws {
        let folder = try StickerFolder()
        let text = "[kiosk]\nname = \"Gate\"\n[sticker]\nkey = \"\(folder.key)\"\nuntil = \"2026-01-31\""
        let configuration = try Configuration.parse(Array(text.utf8), file: "test", folder: "/tmp")
        #expect(configuration.notices.contains { $0.message.contains("40 bits") })
        let bare = try Configuration.parse(Array("[kiosk]\nname = \"Gate\"".utf8), file: "test", folder: "/tmp")
        let time = WallTime(utc: StickerFolder.made, provenance: .rtc)
        #expect(bare.notices.isEmpty)
        let none = PrintedCode(bare[StickerSection.self], clock: .system, wallTime: { time }, report: { _ in })
        #expect(none == nil)
    }
}

extension StickerFolder {
    /// Returns a sticker on the book once the previous one has released it, which its thread may do a moment
    /// later.
    fileprivate func reopened(isGood: Bool = true) async throws -> PrintedCode {
        for _ in 0..<2000 {
            let sticker = try sticker()
            if !isGood || sticker.key() != nil { return sticker }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return try sticker()
    }
}
