import Foundation
import Glibc

/// Has systemd start the service anew, by systemctl and with an end: a machine that does not answer holds nobody up.
enum ServiceStart {
    /// How long its start may take: longer than TimeoutStartSec= of its unit.
    private static let limits = (short: 30, start: 90)

    /// Whether systemd is what starts services here.
    static var isPossible: Bool { access("/run/systemd/system", F_OK) == 0 }

    /// Enables the service of that unit, named without `.service`, and starts it, or starts it anew; why that did not work, nil: it did.
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
        let remedy = "look at: systemctl status \(unit); journalctl -u \(unit) -n 50"
        let place = NSTemporaryDirectory() + "gatehouse-setup-" + UUID().uuidString
        // A file and no pipe: whoever keeps that open would hold up its reader.
        guard FileManager.default.createFile(atPath: place, contents: nil, attributes: [.posixPermissions: 0o600]),
            let output = FileHandle(forWritingAtPath: place)
        else { return CommandFailure("\(line) cannot be run: there is no place for what it says", remedy: remedy) }
        defer { try? FileManager.default.removeItem(atPath: place) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["systemctl", "--no-ask-password", "--no-pager"] + words
        (process.standardInput, process.standardOutput, process.standardError) =
            (FileHandle.nullDevice, output, output)
        do { try process.run() } catch { return CommandFailure("\(line) cannot be run: \(error)", remedy: remedy) }
        let end = ContinuousClock.now + .seconds(seconds)
        while process.isRunning, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(50)) }
        if process.isRunning {
            process.terminate()
            return CommandFailure("\(line) did not come to an end within \(seconds) s", remedy: remedy)
        }
        guard process.terminationStatus != 0 else { return nil }
        let said = FileManager.default.contents(atPath: place).map { String(decoding: $0.prefix(2000), as: UTF8.self) }
        let text = (said ?? "").split(separator: "\n").prefix(3).joined(separator: "; ")
        return CommandFailure(
            "\(line) ended with \(process.terminationStatus)" + (text.isEmpty ? "" : ": \(Terminal.printable(text))"),
            remedy: remedy)
    }
}
