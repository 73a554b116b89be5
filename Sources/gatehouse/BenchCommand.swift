import ArgumentParser
import Credentials
import Encoding
import Foundation
import TrustFiles
import Workbench

/// Measures decision times on this machine and prints them as a table.
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
        var samples = [
            Sample(
                name: "lean", payload: Samples.record(Samples.credential),
                verifier: Verifier(trust: try TrustStore(Samples.trust)), visits: visits)
        ]
        if let portrait {
            let directory = try TrustCommand.reading(portraitTrust ?? ".")
            let verifier = Verifier(trust: directory.store)
            let payload = Samples.record(try InputFile.bytes(portrait))
            samples.append(Sample(name: "portrait", payload: payload, verifier: verifier, visits: portraitVisits))
        }
        if !json {
            Terminal.line("From T0 (the write that completes the credential) to lights and gate, \(Self.machine)")
            Terminal.line("sample        bytes   sync +   visits  refused       p50         p99         max")
        }
        for (sample, sync) in samples.flatMap({ sample in sync.map { (sample, $0) } }) {
            printRow(sample, sync, try await measure(sample, sync))
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

    /// A credential to measure.
    private struct Sample {
        let name: String
        let payload: [UInt8]
        let verifier: Verifier
        let visits: Int
    }

    private func takeTurns() throws {
        guard let date = Timestamp(rfc3339: at) else { throw CommandFailure("--at \(at) is not a date") }
        let directory = try TrustCommand.reading(trust ?? ".")
        let verifier = Verifier(trust: directory.store)
        try CorpusTurns(verifier: verifier, date: WallTime(utc: date, provenance: .given)).run()
    }

    private func measure(_ sample: Sample, _ sync: Int) async throws -> DecisionBench.Result {
        do {
            let ledger = try await makeLedger()
            ledger.slow(by: .milliseconds(sync))
            let result = try await DecisionBench.run(
                payload: sample.payload, verifier: sample.verifier,
                at: WallTime(utc: Samples.validDate, provenance: .given), visits: sample.visits, ledger: ledger,
                choosing: .milliseconds(choosing))
            let missing = await ledger.finish()
            _ = await ledger.remove()
            guard missing == 0 else { throw CommandFailure("the disk did not accept all records", exitCode: 1) }
            return result
        } catch let failure as DecisionBench.Failure {
            throw CommandFailure(
                failure.reason, remedy: "check the credential with `gatehouse verify --explain`", exitCode: 1)
        }
    }

    private func makeLedger() async throws -> BenchLedger {
        if let folder { CommandRole.take(for: folder) }
        let parent = folder.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        do { return try await BenchLedger(below: parent) } catch let error as CocoaError {
            throw CommandFailure(
                "no records can be written below \(parent.path): \(error.localizedDescription)",
                remedy: "name an existing, writable directory")
        }
    }

    private func printRow(_ sample: Sample, _ sync: Int, _ result: DecisionBench.Result) {
        if json {
            let times = result.times.map { JSON.int(Int($0.nanoseconds / 1000)) }
            let line: JSON = [
                "sample": .text(sample.name), "bytes": .int(sample.payload.count), "syncMs": .int(sync),
                "refused": .int(result.refused), "absent": .int(result.absent), "us": .array(times),
            ]
            return Terminal.json(line)
        }
        let figures = [50, 99, 100].map { String(format: "%9.2f ms", result.percentile($0).milliseconds) }
        let head = sample.name.padding(toLength: 10, withPad: " ", startingAt: 0)
        Terminal.line(
            head + String(format: "%9d%6d ms%9d%9d", sample.payload.count, sync, result.times.count, result.refused)
                + figures.joined())
        guard result.absent > 0 else { return }
        Terminal.line("          \(result.absent) phones gave up: this machine is too busy for its virtual radio")
    }

    /// The name of the processor in /proc/cpuinfo, and the number of cores.
    private static var machine: String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = text.split(separator: "\n").first { $0.hasPrefix("model name") || $0.hasPrefix("Model") }
        let name = model?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
        return "\(name), \(ProcessInfo.processInfo.activeProcessorCount) cores"
    }
}
