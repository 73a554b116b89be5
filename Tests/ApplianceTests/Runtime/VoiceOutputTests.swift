import Encoding
import Foundation
import Kiosk
import LinuxIO
import Testing

@testable import Appliance

/// Verdicts said aloud: which, in which language, and what becomes of a program that does not do it.
@Suite struct VoiceOutputTests {
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
        let log = try LogSink(.file(path("log")))
        let words = [("fr", "accepté"), ("en", "accepted"), ("hi", "प्रवेश करें")]
        for (language, word) in words {
            let script = try program("printf '%s %s\\n' \"$2\" \"$3\" >> \(path("said"))")
            let section = try section("language = \"\(language)\"\nprogram = \"\(script)\"")
            let voice = try #require(try VoiceOutput(section, log))
            show([.ready, .connected, .accepted, .ready, .rejected, .failed, .off], on: voice)
            let said = text("said").split(separator: "\n")
            #expect(said.count == 3 && said.first == "\(language) \(word)", "\(said)")
            try FileManager.default.removeItem(atPath: path("said"))
        }
        #expect(try VoiceOutput(try section(""), log) == nil)
        #expect(log.flush(within: .seconds(5)) && text("log").isEmpty)
        try FileManager.default.removeItem(at: folder)
    }

    @Test func aProgramThatIsAbsentIsToldOnce() throws {
        let log = try LogSink(.file(path("log")))
        let voice = try VoiceOutput(.english, SpeechProgram(path("nothing"), language: "en"), log)
        show([.accepted, .ready, .rejected, .ready, .accepted], on: voice)
        #expect(log.flush(within: .seconds(5)))
        #expect(text("log").components(separatedBy: "\"event\":\"voice\"").count == 2, "\(text("log"))")
        try FileManager.default.removeItem(at: folder)
    }

    /// The words of people who have left are not said one after the other.
    @Test func aSlowProgramSaysTheNewestAndHoldsUpNobody() throws {
        let log = try LogSink(.file(path("log")))
        let script = try program("echo \"$3\" >> \(path("said")); sleep 600")
        let voice = try VoiceOutput(.english, SpeechProgram(script, language: "en", limit: .milliseconds(700)), log)
        let started = ContinuousClock.now
        for _ in 0..<200 {
            for pattern in [.accepted, .rejected] as [IndicatorPattern] {
                voice.show(.dark, of: pattern, for: nil, at: .zero)
            }
        }
        #expect(ContinuousClock.now - started < .seconds(1), "nobody waits")
        #expect(voice.flush(within: .seconds(30)))
        #expect((1...3).contains(text("said").split(separator: "\n").count), "\(text("said"))")
        try FileManager.default.removeItem(at: folder)
    }

    private func section(_ text: String) throws -> VoiceSection {
        let bytes = Array("[kiosk]\nname = \"A\"\n[voice]\n\(text)\n".utf8)
        return try Configuration.parse(bytes, file: "gatehouse.toml", folder: "/etc/gatehouse").voice
    }
}
