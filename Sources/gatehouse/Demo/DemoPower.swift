import Clocks
import Console
import Encoding
import Foundation
import Glibc
import Kiosk
import Workbench

/// The gate process that `gatehouse demo --scenario power-cut` kills: a second process of this program.
enum DemoPower {
    /// The environment variable with the folder of that process; set only for the process that is killed.
    static let variable = "GATEHOUSE_DEMO_LIFE"
    /// The words that the process prints when the gate is open, before the visit's ID.
    private static let word = "open for "
    /// How long the gate stays open, in seconds, unless the process is killed.
    private static let pulse: TimeInterval = 30

    /// Runs in the process that is killed: simulates visits until the second pulse, reports that pulse and
    /// waits in it. Returns false in any other process.
    static func live(seed: UInt64) async throws -> Bool {
        guard let folder = ProcessInfo.processInfo.environment[variable] else { return false }
        try await PowerCut.live(in: folder, seed: seed, version: ProductVersion.text) { visit in
            Terminal.line(word + visit.text)
            Thread.sleep(forTimeInterval: pulse)
        }
        return true
    }

    /// Starts that process, and kills it as soon as its gate is open. Returns the visit whose pulse ran, and
    /// how the process ended.
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
