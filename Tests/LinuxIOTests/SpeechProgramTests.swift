import Foundation
import TestKit
import Testing

@testable import Displays
@testable import LinuxIO

@Suite("words said aloud", .tags(.realTime))
struct SpeechProgramTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func program(_ script: String) throws -> String {
        let path = folder.path + "/speak"
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    @Test("the program gets language and text as words of their own, and nothing that we have open")
    func said() throws {
        let ours = folder.path + "/ours"
        let own = open(ours, O_RDONLY | O_CREAT, 0o600)  // without close-on-exec
        #expect(own > 2)
        defer { close(own) }
        let path = try program(
            "printf '%s|' \"$@\" > \(folder.path)/words; readlink /proc/$$/fd/* > \(folder.path)/streams; echo loud; echo loud >&2"
        )
        let text = "refusé; $(touch \(folder.path)/harm) `id` \u{1F600}"
        #expect(SpeechProgram(path, language: "fr").say(text) == .said)
        #expect(String(decoding: folder.bytes("words"), as: UTF8.self) == "-v|fr|\(text)|")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/harm"))
        // The shell itself holds its script open, and may show the target of the command's output.
        let seen = String(decoding: folder.bytes("streams"), as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(seen.contains("/dev/null") && seen.contains(path), "\(seen)")
        #expect(seen.allSatisfy { [path, "/dev/null", folder.path + "/streams"].contains($0) }, "\(seen)")
    }

    @Test("an absent program, one that may not be run and one that fails are reported")
    func troubles() throws {
        guard case .absent = SpeechProgram(folder.path + "/nothing", language: "en").say("x") else {
            Issue.record("absent")
            return
        }
        #expect(SpeechProgram(try program("exit 3"), language: "en").say("x") == .failed)
        #expect(SpeechProgram(try program("kill -9 $$"), language: "en").say("x") == .failed)
        guard case .absent = SpeechProgram(folder.path, language: "en").say("x") else {
            Issue.record("a folder")
            return
        }
    }

    @Test("one that hangs is ended with all that it started")
    func hangs() throws {
        let path = try program("sleep 600 & echo $! > \(folder.path)/child; trap '' TERM INT; wait")
        var child: pid_t = 0
        // On a machine that pauses, the limit may be over before the program has started anything.
        for _ in 1...5 where child == 0 {
            let started = ContinuousClock.now
            #expect(SpeechProgram(path, language: "en", limit: .seconds(2)).say("x") == .tooLong)
            #expect(ContinuousClock.now - started < .seconds(60))
            let text = String(decoding: folder.bytes("child"), as: UTF8.self)
            child = pid_t(text.trimmingCharacters(in: .newlines)) ?? 0
        }
        #expect(child > 0)
        // The child is gone, or a zombie that its new parent has not collected yet.
        let until = ContinuousClock.now + .seconds(60)
        while kill(child, 0) == 0, ContinuousClock.now < until {
            let state = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
            if state?.contains(") Z ") ?? true { break }
            usleep(10_000)
        }
        let state = (try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)) ?? ") Z "
        #expect(kill(child, 0) != 0 || state.contains(") Z "))
    }
}
