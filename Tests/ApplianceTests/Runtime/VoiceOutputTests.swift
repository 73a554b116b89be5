import Clocks
import Displays
import Encoding
import Features
import Foundation
import GateService
import Kiosk
import Reasons
import Settings
import Synchronization
import TestKit
import Testing

/// Spoken verdicts: their choice and language, and the handling of a program that does not speak them.
@Suite(.tags(.realTime)) struct VoiceOutputTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "gatehouse-voice-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
    private func text(_ name: String) -> String { (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? "" }

    private func program(_ script: String) throws -> String {
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path("speak")))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path("speak"))
        return path("speak")
    }

    private func show(_ patterns: [IndicatorPattern], on voice: VoiceOutput) {
        for pattern in patterns {
            for tone in [true, false] { voice.show(Signal([], tone: tone), of: pattern, for: nil, at: .zero) }
            #expect(voice.flush(within: .seconds(20)))
        }
    }

    @Test func eachVerdictIsSaidOnceInItsLanguage() throws {
        let health = Reports()
        let words = [("fr", "accepté"), ("en", "accepted"), ("hi", "प्रवेश करें")]
        for (language, word) in words {
            let script = try program("printf '%s %s\\n' \"$2\" \"$3\" >> \(path("said"))")
            let section = try section("language = \"\(language)\"\nprogram = \"\(script)\"")
            let voice = try #require(try VoiceOutput(section, clock: .system, report: health.report))
            show([.ready, .connected, .accepted, .ready, .rejected, .failed, .off], on: voice)
            let said = text("said").split(separator: "\n")
            #expect(said.count == 3 && said.first == "\(language) \(word)", "\(said)")
            try FileManager.default.removeItem(atPath: path("said"))
        }
        #expect(try VoiceOutput(try section(""), clock: .system, report: health.report) == nil)
        #expect(health.all.isEmpty, "\(health.all)")
        try FileManager.default.removeItem(at: folder)
    }

    /// The fault is reported before a visitor arrives, once, and lasts until the program exists.
    @Test func aProgramThatIsAbsentIsAFault() throws {
        let health = Reports()
        let now = Mutex(Instant.zero)
        let clock = Clock(
            now: { now.withLock(\.self) }, utc: { Timestamp(seconds: 0) }, sleep: { _ throws(CancellationError) in })
        let voice = try VoiceOutput(
            .english, SpeechProgram(path("speak"), language: "en"), clock: clock, report: health.report)
        show([.ready], on: voice)
        #expect(health.all.count == 1)
        show([.accepted, .ready, .rejected, .ready, .accepted], on: voice)
        let first = try #require(health.all.first)
        #expect(health.all.count == 1 && first.code == .voiceFailed && first.isPresent)
        #expect(first.detail == "\(path("speak")) cannot be run: No such file or directory", "\(first)")
        _ = try program("exit 0")
        show([.ready, .attention], on: voice)
        #expect(health.count == 1, "not before the pause is over")
        now.withLock { $0 = $0.advanced(by: VoiceOutput.pause) }
        show([.ready, .attention], on: voice)
        #expect(health.all.count == 2 && health.all.last == .over(.voiceFailed), "\(health.all)")
        try FileManager.default.removeItem(at: folder)
    }

    /// A missing sound card: the fault is over with the next text that is spoken.
    @Test func aProgramThatFailsIsAFaultUntilItSpeaks() throws {
        let health = Reports()
        let script = try program("test -e \(path("card"))")
        let voice = try VoiceOutput(
            .english, SpeechProgram(script, language: "en"), clock: .system, report: health.report)
        show([.ready, .accepted, .ready, .rejected], on: voice)
        #expect(health.all.map(\.isPresent) == [true] && health.all[0].detail?.contains("sound card") == true)
        try Data().write(to: URL(fileURLWithPath: path("card")))
        show([.ready, .accepted, .ready, .rejected], on: voice)
        #expect(health.all.map(\.isPresent) == [true, false])
        try FileManager.default.removeItem(at: folder)
    }

    /// The texts for visitors who have left are not spoken one after another.
    @Test func aSlowProgramSaysTheNewestAndDelaysNoCaller() throws {
        let script = try program("echo \"$3\" >> \(path("said")); sleep 600")
        let voice = try VoiceOutput(
            .english, SpeechProgram(script, language: "en", limit: .seconds(1)), clock: .system, report: { _ in })
        let started = ContinuousClock.now
        for _ in 0..<200 {
            for pattern in [.accepted, .rejected] as [IndicatorPattern] {
                voice.show(.dark, of: pattern, for: nil, at: .zero)
            }
        }
        #expect(ContinuousClock.now - started < .seconds(10), "nobody waits")
        #expect(voice.flush(within: .seconds(30)))
        #expect((1...3).contains(text("said").split(separator: "\n").count), "\(text("said"))")
        try FileManager.default.removeItem(at: folder)
    }

    private func section(_ text: String) throws -> VoiceSection {
        let bytes = Array("[kiosk]\nname = \"A\"\n[voice]\n\(text)\n".utf8)
        return try Configuration.parse(bytes, file: "gatehouse.toml", folder: "/etc/gatehouse")[VoiceSection.self]
    }
}
