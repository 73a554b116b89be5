import Clocks
import Console
import Encoding
import Foundation
import Glibc
import Kiosk
import Workbench

/// The gate process that `gatehouse demo --scenario power-cut` starts and kills. It is a second process of this
/// program.
enum DemoPower {
    /// The environment variable that names the database folder of the killed process. It is set only in that process.
    static let variable = "GATEHOUSE_DEMO_LIFE"
    /// The text that the process prints, followed by the visit's ID, when the gate is open.
    private static let word = "open for "
    /// How long the gate stays open, in seconds, if the process is not killed.
    private static let pulse: TimeInterval = 30

    /// Simulates visits in the process that is killed. When the gate opens for the second visit, prints that visit's ID
    /// and sleeps while the gate is open. Returns false without any work in every other process.
    static func live(seed: UInt64) async throws -> Bool {
        guard let folder = ProcessInfo.processInfo.environment[variable] else { return false }
        try await PowerCut.live(in: folder, seed: seed, version: ProductVersion.text) { visit in
            Terminal.line(word + visit.text)
            Thread.sleep(forTimeInterval: pulse)
        }
        return true
    }

    /// Starts the process of ``live(seed:)`` and kills it as soon as it reports an open gate. Returns the ID of the
    /// visit for which the gate was open, and a text about how the process ended.
    static func pull(in folder: String, seed: UInt64) async throws -> (visit: String, end: String) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["demo", "--scenario", "power-cut", "--seed", "\(seed)"]
        process.environment = ProcessInfo.processInfo.environment.merging([variable: folder]) { $1 }
        (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, output)
        try process.run()
        var said = Data()
        while said.last != UInt8(ascii: "\n") {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            said += more
        }
        kill(process.processIdentifier, SIGKILL)
        while process.isRunning { try await Machine.clock.sleep(for: .milliseconds(2)) }
        let line = String(decoding: said, as: UTF8.self).split(separator: "\n").last.map(String.init) ?? ""
        guard line.hasPrefix(word) else {
            throw CommandFailure(
                "the gate's process ended before the gate opened, with status \(process.terminationStatus)",
                remedy: "see its output above; it needs space for a small database in TMPDIR", exitCode: 1)
        }
        let number = process.terminationStatus
        let end = process.terminationReason == .uncaughtSignal ? "ended by signal \(number)" : "ended with \(number)"
        return (String(line.dropFirst(word.count)), end)
    }
}
