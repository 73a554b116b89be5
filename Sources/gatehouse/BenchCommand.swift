import Appliance
import ArgumentParser
import Credentials
import Encoding
import Foundation
import Workbench

/// The budget table of this machine.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures the time from a credential's last byte to lights and gate on this machine.",
        discussion: "The figures mean something in a release build only: use `make bench` in the repository.")

    @Option(help: ArgumentHelp("Visits with the lean sample (1.1 KB).", valueName: "number"))
    var visits = 200
    @Option(
        help: ArgumentHelp(
            "A large credential to measure too, such as a national ID with a photograph.", valueName: "file"))
    var portrait: String?
    @Option(help: ArgumentHelp("The trust directory for --portrait.", valueName: "directory"))
    var portraitTrust: String?
    @Option(help: ArgumentHelp("Visits with the large credential.", valueName: "number"))
    var portraitVisits = 60
    @Option(
        help: ArgumentHelp(
            "Record the visits in a real database whose syncs take so much longer, in milliseconds; each phone's owner then "
                + "takes 300 ms to choose.", valueName: "milliseconds"))
    var sync: Int?
    @Flag(help: "Raw samples as JSON.")
    var json = false
    @Flag(
        help: ArgumentHelp(
            "Verify files in turns taken from standard input and answer with samples as JSON, instead.",
            discussion:
                "A turn is `verify PATH FIRST COUNT`, `signature FILE COUNT` or `peak`; see Tests/Bench/credentials."))
    var turns = false
    @Option(help: ArgumentHelp("The trust directory for --turns.", valueName: "directory"))
    var trust: String?
    @Option(help: ArgumentHelp("The date for --turns, RFC 3339.", valueName: "time"))
    var at = "2026-06-01T00:00:00Z"

    func run() async throws {
        if turns { return try takeTurns() }
        guard visits > 0, portraitVisits > 0 else { throw CommandFailure("the number of visits must be positive") }
        let date = WallTime(utc: Samples.validDate, provenance: .given)
        let lean = Verifier(trust: try TrustStore(Samples.trust))
        var rows: [(String, Int, DecisionBench.Result)] = []
        let record = Samples.record(Samples.credential)
        rows.append(("lean", record.count, try await measure(record, lean, date, visits)))
        if let portrait {
            let directory = try TrustDirectory.reading(portraitTrust ?? ".")
            let verifier = Verifier(
                trust: directory.store, policy: VerificationPolicy(profile: directory.profile ?? .strict))
            let payload = Samples.record(try InputFile.bytes(portrait))
            rows.append(("portrait", payload.count, try await measure(payload, verifier, date, portraitVisits)))
        }
        if json { return printJSON(rows) }
        Terminal.line("From T0 (the write that completes the credential) to lights and gate, \(Self.machine)")
        Terminal.line("sample        bytes   visits      p50        p99        max")
        for (name, bytes, result) in rows {
            let figures = [50, 99, 100].map { String(format: "%8.2f ms", result.percentile($0).milliseconds) }
            let head = name.padding(toLength: 10, withPad: " ", startingAt: 0)
            Terminal.line(head + String(format: "%9d%9d", bytes, result.times.count) + figures.joined())
        }
    }

    private func takeTurns() throws {
        guard let date = Timestamp(rfc3339: at) else { throw CommandFailure("--at \(at) is not a date") }
        let directory = try TrustDirectory.reading(trust ?? ".")
        let verifier = Verifier(
            trust: directory.store, policy: VerificationPolicy(profile: directory.profile ?? .strict))
        try CorpusTurns(verifier: verifier, date: WallTime(utc: date, provenance: .given)).run()
    }

    private func measure(
        _ payload: [UInt8], _ verifier: Verifier, _ date: WallTime, _ visits: Int
    ) async throws -> DecisionBench.Result {
        do {
            guard let sync else {
                return try await DecisionBench.run(payload: payload, verifier: verifier, at: date, visits: visits)
            }
            let ledger = try await BenchLedger(delay: .milliseconds(max(0, sync)))
            let result = try await DecisionBench.run(
                payload: payload, verifier: verifier, at: date, visits: visits, ledger: ledger,
                choosing: .milliseconds(300))
            guard await ledger.end() == 0 else { throw CommandFailure("the disk took not all records", exitCode: 1) }
            return result
        } catch let failure as DecisionBench.Failure {
            throw CommandFailure(
                failure.reason, remedy: "check the credential with `gatehouse verify --explain`", exitCode: 1)
        }
    }

    private func printJSON(_ rows: [(String, Int, DecisionBench.Result)]) {
        for (name, bytes, result) in rows {
            let times = result.times.map { JSON.int(Int($0.nanoseconds / 1000)) }
            let line: JSON = ["sample": .text(name), "bytes": .int(bytes), "us": .array(times)]
            Terminal.line(line.compactText)
        }
    }

    /// The processor as the system names it.
    private static var machine: String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = text.split(separator: "\n").first { $0.hasPrefix("model name") || $0.hasPrefix("Model") }
        let name = model?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
        return "\(name), \(ProcessInfo.processInfo.activeProcessorCount) cores"
    }
}
