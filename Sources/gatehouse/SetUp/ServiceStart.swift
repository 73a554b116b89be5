import Clocks
import Console
import Encoding
import Foundation
import Glibc

/// Starts or restarts the service by `systemctl`, with a timeout, so that a systemd that does not answer cannot block
/// the caller.
enum ServiceStart {
    /// The timeouts in seconds. `start` is longer than TimeoutStartSec= of the unit.
    private static let limits = (short: 30, start: 90)

    /// Whether this machine was booted with systemd.
    static var isPossible: Bool { access("/run/systemd/system", F_OK) == 0 }

    /// Enables the service of the unit `unit` (without `.service`), and starts or restarts it. Returns the failure; nil
    /// after success.
    static func start(_ unit: String) async -> CommandFailure? {
        let service = unit + ".service"
        for (words, limit) in [
            (["daemon-reload"], limits.short), (["enable", service], limits.short),
            (["restart", service], limits.start),
        ] {
            if let failure = await run(words, limit, unit) { return failure }
        }
        return nil
    }

    private static func run(_ words: [String], _ seconds: Int, _ unit: String) async -> CommandFailure? {
        let line = (["systemctl"] + words).joined(separator: " ")
        let remedy = "see: systemctl status \(unit); journalctl -u \(unit) -n 50"
        let place = NSTemporaryDirectory() + "gatehouse-setup-" + UUID().uuidString
        // Use a file for the output, not a pipe: a process that keeps the pipe open would block this program.
        guard FileManager.default.createFile(atPath: place, contents: nil, attributes: [.posixPermissions: 0o600]),
            let output = FileHandle(forWritingAtPath: place)
        else {
            return CommandFailure("\(line) cannot be run: there is no temporary file for its output", remedy: remedy)
        }
        defer { try? FileManager.default.removeItem(atPath: place) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["systemctl", "--no-ask-password", "--no-pager"] + words
        (process.standardInput, process.standardOutput, process.standardError) =
            (FileHandle.nullDevice, output, output)
        do { try process.run() } catch { return CommandFailure("\(line) cannot be run: \(error)", remedy: remedy) }
        let end = Machine.clock.now().advanced(by: .seconds(seconds))
        while process.isRunning, Machine.clock.now() < end { try? await Machine.clock.sleep(for: .milliseconds(50)) }
        if process.isRunning {
            process.terminate()
            return CommandFailure("\(line) did not finish within \(seconds) s", remedy: remedy)
        }
        guard process.terminationStatus != 0 else { return nil }
        let said = FileManager.default.contents(atPath: place).map { String(decoding: $0.prefix(2000), as: UTF8.self) }
        let text = (said ?? "").split(separator: "\n").prefix(3).joined(separator: "; ")
        return CommandFailure(
            "\(line) ended with \(process.terminationStatus)" + (text.isEmpty ? "" : ": \(Terminal.printable(text))"),
            remedy: remedy)
    }
}
