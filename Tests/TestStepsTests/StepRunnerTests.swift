import Foundation
import Testing

/// The runner itself, on a bundle made of a shell script: one test passes, one fails only the first time, one
/// always fails, and one ends the process.
@Suite struct StepRunnerTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("gatehouse-steps-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Runs a bundle of these tests, each with an id, tags and a script body. Returns the exit code and the
    /// output.
    private func run(_ tests: [(id: String, tags: [String], body: String)]) throws -> (code: Int32, output: String) {
        defer { try? FileManager.default.removeItem(at: folder) }
        let names = tests.map { $0.id.split(separator: "/").dropLast().joined(separator: "/") }
        let cases = tests.map { test in
            """
            if printf %s '\(test.id)' | grep -qP "$filter"; then
                event testStarted '\(test.id)' default
                symbol=pass
                \(test.body)
                event testEnded '\(test.id)' $symbol
            fi
            """
        }
        let script = """
            #!/bin/bash
            cd '\(folder.path)'
            [[ " $* " != *" --list-tests "* ]] || { printf '%s\\n' \(names.map { "'\($0)'" }.joined(separator: " ")); exit; }
            while [ $# -gt 0 ]; do
                case $1 in --filter) filter=$2 ;; --event-stream-output-path) events=$2 ;; esac
                shift
            done
            event() {
                printf '{"kind":"event","payload":{"instant":{"absolute":%s},"kind":"%s","messages":[{"symbol":"%s",\
            "text":"words"}],"testID":"%s"}}\\n' "$SECONDS" "$1" "$3" "$2" >>"$events"
            }
            cat >"$events" <<'END'
            \(tests.map { Streams.test($0.id, tags: $0.tags) }.joined(separator: "\n"))
            END
            echo "Test run started." >&2
            echo "one line of a test"
            \(cases.joined(separator: "\n"))
            exit 0
            """
        let bundle = folder.appendingPathComponent("bundle")
        try Data(script.utf8).write(to: bundle)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: bundle.path)
        let runner = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("step-runner")
        let process = Process()
        process.executableURL = runner
        process.arguments = [bundle.path, "--folder", folder.appendingPathComponent("out").path]
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "GATEHOUSE_STEPS" }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    private static let once = "[ -e again ] || symbol=fail; touch again"

    @Test func aMeasurementThatFailsOnceIsRepeatedTwice() throws {
        let (code, output) = try run([
            ("M.S/good()/F.swift:1:2", [], "true"), ("M.R/once()/F.swift:2:2", ["realTime"], Self.once),
            ("M.R/late()/F.swift:3:2", ["realTime", "nightly"], "symbol=fail"),
        ])
        #expect(code == 0, "\(output)")
        #expect(output.contains("again, alone, 2 of 2: M.R/once(): passed") && output.contains("Unsteady"))
        #expect(output.contains("one line of a test"))
        #expect(output.hasSuffix("\n2 passed, 0 failed, 0 skipped\n"), "\(output)")
    }

    @Test func aDeterministicTestThatFailsOnceHasFailed() throws {
        let (code, output) = try run([
            ("M.S/good()/F.swift:1:2", [], "true"), ("M.S/once()/F.swift:2:2", [], Self.once),
        ])
        #expect(code == 1 && !output.contains("again, alone"), "\(output)")
        #expect(output.hasSuffix("\n1 passed, 1 failed, 0 skipped\n"), "\(output)")
    }

    /// The process of a test that traps is lost; the tests that it had not begun run in another process.
    @Test func aTrapCostsOneTest() throws {
        let (code, output) = try run([
            ("M.S/a()/F.swift:1:2", [], "true"), ("M.S/trap()/F.swift:2:2", [], "kill -SEGV $$"),
            ("M.S/z()/F.swift:3:2", [], "true"), ("M.R/trap()/F.swift:4:2", ["realTime"], "kill -SEGV $$"),
        ])
        #expect(code == 1 && !output.contains("again, alone"), "\(output)")
        #expect(output.contains("in the midst of it: signal 11"))
        #expect(output.hasSuffix("\n2 passed, 2 failed, 0 skipped\n"), "\(output)")
    }

    /// Each test passes, but the process does not, or an issue is recorded that belongs to no test.
    @Test(arguments: [
        ("event testEnded 'M.S/a()/F.swift:1:2' pass; exit 1", "the process ended with exit 1"),
        ("event testEnded 'M.S/a()/F.swift:1:2' pass; kill -SEGV $$", "the process ended with signal 11"),
        ("echo '{\"kind\":' >>\"$events\"", "cannot be read"),
        ("issue", "M/F.swift:7: 1 == 2"),
    ]) func aFaultThatBelongsToNoTestFails(_ body: String, _ words: String) throws {
        let line = Streams.issue("", isFailure: true).split(separator: "'").joined()
        let body = body == "issue" ? "echo '\(line)' >>\"$events\"" : body
        let (code, output) = try run([("M.S/a()/F.swift:1:2", ["realTime"], body)])
        #expect(code == 1 && output.contains(words), "\(output)")
        #expect(output.hasSuffix("\n1 passed, 1 failed, 0 skipped\n"), "\(output)")
    }

    @Test func aProcessThatRunsNothingFails() throws {
        let (code, output) = try run([("M.S/a()/F.swift:1:2", [], "exit 3")])
        #expect(code == 1 && output.contains("in the midst of it: exit 3"), "\(output)")
        #expect(output.hasSuffix("\n0 passed, 1 failed, 0 skipped\n"), "\(output)")
    }
}
