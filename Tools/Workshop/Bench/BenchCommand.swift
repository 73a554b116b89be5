import ArgumentParser
import Console
import Credentials
import Encoding
import Foundation
import TrustFiles
import Workbench

/// The command `gatehouse-workshop bench`: measures decision times on this machine and prints them as a table.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures the time from a credential's last byte to lights and gate on this machine.",
        discussion: "The results are meaningful only in a release build: use `make bench` in the repository.")

    @Option(help: ArgumentHelp("Visits with the lean sample (1.4 KB).", valueName: "number"))
    var visits = 100
    @Option(
        help: ArgumentHelp(
            "A large credential to measure as well, such as a national ID with a photograph.", valueName: "file"))
    var portrait: String?
    @Option(help: ArgumentHelp("The trust directory for --portrait.", valueName: "directory"))
    var portraitTrust: String?
    @Option(help: ArgumentHelp("Visits with the large credential.", valueName: "number"))
    var portraitVisits = 60
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Additional time of each sync of ledger and witness, in milliseconds; everything is measured once for "
                + "each value.", valueName: "milliseconds"))
    var sync = [0]
    @Option(
        help: ArgumentHelp(
            "The folder in which the records of these visits are written and then deleted: use one on the ledger's "
                + "disk. Default: the folder for temporary files.", valueName: "directory"))
    var folder: String?
    @Option(
        help: ArgumentHelp(
            "The time that each holder takes to choose, from identification to the credential. Less than 300 is not "
                + "realistic.",
            valueName: "milliseconds"))
    var choosing = 300
    @Option(
        help: ArgumentHelp(
            "Play that number of visits instead, good and bad, at full speed, and print their effects: memory, "
                + "descriptors, bytes on the disk, mistakes.", valueName: "number"))
    var soak: Int?
    @Flag(help: "Raw samples as JSON.")
    var json = false
    @Flag(
        help: ArgumentHelp(
            "Instead, read turns from standard input, verify their files and answer with samples as JSON.",
            discussion:
                "A turn is `verify PATH FIRST COUNT`, `signature FILE COUNT` or `peak`; see Tests/Bench/credentials."))
    var turns = false
    @Option(help: ArgumentHelp("The trust directory for --turns.", valueName: "directory"))
    var trust: String?
    @Option(help: ArgumentHelp("The date for --turns, RFC 3339.", valueName: "time"))
    var at = "2026-06-01T00:00:00Z"

    func run() async throws {
        if turns { return try takeTurns() }
        if let soak { return try await SoakReport.run(visits: soak, json: json) }
        guard visits > 0, portraitVisits > 0 else { throw CommandFailure("the number of visits must be positive") }
        guard choosing >= 0, !sync.isEmpty, sync.allSatisfy({ (0...60_000).contains($0) }) else {
            throw CommandFailure("--sync and --choosing take milliseconds")
        }
        var samples = [try BenchSample.lean(visits: visits)]
        if let portrait {
            samples.append(
                BenchSample(
                    name: "portrait", payload: Samples.record(try InputFile.bytes(portrait)),
                    verifier: try Self.verifier(portraitTrust), visits: portraitVisits))
        }
        if !json { BenchSample.heading.forEach { Terminal.line($0) } }
        for (sample, sync) in samples.flatMap({ sample in sync.map { (sample, $0) } }) {
            show(try await measure(sample, sync), of: sample, sync)
        }
        try printTransfer()
    }

    private func printTransfer() throws {
        let result: TransferBench.Result
        do { result = try TransferBench.run() } catch { throw CommandFailure(error.reason, exitCode: 1) }
        if json {
            let line: JSON = [
                "sample": "transfer", "bytes": .int(result.bytes), "us": .int(Int(result.time.nanoseconds / 1000)),
                "crcUs": .int(Int(result.check.nanoseconds / 1000)),
            ]
            return Terminal.json(line)
        }
        Terminal.line(
            "From HCI packets to the assembled message, no threads, \(result.bytes) bytes: "
                + String(format: "%.1f MB/s, %.1f times the CRC alone", result.megabytesPerSecond, result.ratio))
    }

    private func takeTurns() throws {
        guard let date = Timestamp(rfc3339: at) else { throw CommandFailure("--at \(at) is not a date") }
        let verifier = try Self.verifier(trust)
        try CorpusTurns(verifier: verifier, date: WallTime(utc: date, provenance: .given)).run()
    }

    /// Returns a verifier with the trust directory at `path`, or in the current folder if `path` is nil.
    private static func verifier(_ path: String?) throws -> Verifier {
        do throws(TrustDirectoryError) {
            return Verifier(trust: try TrustDirectory(path: path ?? ".").store)
        } catch {
            throw CommandFailure.problems("the trust data", error.problems.count, error.description)
        }
    }

    private func measure(_ sample: BenchSample, _ sync: Int) async throws -> DecisionBench.Result {
        let parent = folder.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        do {
            return try await sample.measure(
                below: parent, sync: .milliseconds(sync), choosing: .milliseconds(choosing))
        } catch let failure as DecisionBench.Failure {
            throw CommandFailure(
                failure.reason, remedy: "check the credential with `gatehouse verify --explain`", exitCode: 1)
        } catch let error as CocoaError {
            throw CommandFailure(
                "no records can be written below \(parent.path): \(error.localizedDescription)",
                remedy: "name an existing, writable directory")
        }
    }

    private func show(_ result: DecisionBench.Result, of sample: BenchSample, _ sync: Int) {
        guard json else { return sample.lines(result, sync: sync).forEach { Terminal.line($0) } }
        let times = result.times.map { JSON.int(Int($0.nanoseconds / 1000)) }
        let line: JSON = [
            "sample": .text(sample.name), "bytes": .int(sample.payload.count), "syncMs": .int(sync),
            "refused": .int(result.refused), "absent": .int(result.absent), "us": .array(times),
        ]
        Terminal.json(line)
    }
}
