import Appliance
import ArgumentParser
import Credentials
import Encoding
import LinuxIO
import Synchronization

/// Verifies credentials or wallet payloads from files, offline.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verifies credentials or wallet payloads from files; prints a JSON line for each.",
        discussion: """
            A file that cannot be read does not keep the others from being verified.

            With --config the date is worth what gatehouse clock show says: where it is worth less than the gate's rules ask, \
            nothing is accepted (clock.untrusted). A date that is given with --at counts as a good one.

            Exit code: 0 when all are accepted, 1 when some are rejected, 2 for usage or input/output errors.
            """)

    @Option(
        help: ArgumentHelp(
            "The trust directory (issuers.toml, did/, contexts/, status/, roots/) or a bundle. Without it nobody is trusted.",
            valueName: "path"))
    var trust: String?
    @Option(help: ArgumentHelp("With a bundle: the operator's key (z6Mk…).", valueName: "key"))
    var key: String?
    @Option(
        help: ArgumentHelp(
            "Would this gate take it? Trust, rules and clock as its configuration has them.", valueName: "file"))
    var config: String?
    @Option(
        help: ArgumentHelp(
            "The gate's rules; without them a credential of any trusted issuer is accepted.", valueName: "file"))
    var policy: String?
    @Option(help: ArgumentHelp("With --policy: in or out, which way the gate leads.", valueName: "name"))
    var direction: String?
    @Option(
        help: ArgumentHelp(
            "strict or compat; the default is what the policy says, else issuers.toml, else strict.", valueName: "name")
    )
    var profile: String?
    @Option(
        help: ArgumentHelp(
            "The date to verify at, RFC 3339; the default is this machine's clock, with --config as the gate judges it.",
            valueName: "time"))
    var at: String?
    @Flag(help: "Tell the stages of each verification in words, instead of JSON.")
    var explain = false
    @Option(help: ArgumentHelp("Verify each file that many times.", valueName: "number"))
    var `repeat` = 1
    @Flag(help: "With --repeat: report the median time of each stage.")
    var timings = false
    @Argument(help: ArgumentHelp("Files; - is standard input.", valueName: "file"))
    var files: [String]

    func run() async throws {
        guard !files.isEmpty else { throw CommandFailure("no file given", remedy: "gatehouse verify FILE…") }
        guard (1...1_000_000).contains(`repeat`) else { throw CommandFailure("--repeat takes 1 to 1000000") }
        guard !timings || `repeat` > 1 else {
            throw CommandFailure(
                "--timings tells medians, so it needs --repeat",
                remedy: "add --repeat 100; the times of one run are in its stages")
        }
        let gate = try self.gate()
        let verifier = try self.verifier(gate)
        let date = try await self.date(gate)
        var worst: Int32 = 0
        for file in files {
            let bytes: [UInt8]
            do {
                bytes = try InputFile.bytes(file)
            } catch let failure as CommandFailure {
                Terminal.error(failure.message, remedy: failure.remedy)
                worst = failure.exitCode
                continue
            }
            let report = report(file, bytes, verifier, date)
            if !report.verdict.isAccepted { worst = max(worst, 1) }
            if explain {
                // Parts of the credential are in it.
                for line in report.explanation.map(Terminal.printable) {
                    let margin = line.prefix { $0 == " " }.count
                    // Whoever reads from a pipe looks for whole sentences.
                    let parts = Terminal.isInteractive ? Terminal.folded(line, hanging: margin + 2) : [line]
                    for part in parts { Terminal.line(part) }
                }
            } else {
                Terminal.line(report.jsonLine)
            }
        }
        if worst != 0 { throw ExitCode(worst) }
    }

    /// The configuration of the gate that is asked about; nil: none is.
    private func gate() throws -> Configuration? {
        guard let config else { return nil }
        guard trust == nil, policy == nil, direction == nil, profile == nil else {
            throw CommandFailure(
                "--config brings trust and rules of the gate",
                remedy: "leave --trust, --policy, --direction and --profile out")
        }
        var input = ConfigurationInput()
        input.path = config
        return try input.load()
    }

    /// What decides: that of a gate, or what the options name.
    private func verifier(_ gate: Configuration?) throws -> Verifier {
        guard let gate else {
            let directory = try trust.map { try TrustCommand.reading($0, key: key) }
            let store = try directory?.store ?? TrustStore(TrustMaterial())
            return Verifier(trust: store, policy: try chosenPolicy(over: directory?.profile ?? .strict))
        }
        let directory = try TrustCommand.usable { () throws(TrustDirectoryError) in
            try TrustCommand.inForce(gate.trust)
        }
        let rules = try gate.policy.file.map(PolicyCommand.load) ?? directory.rules
        return Verifier(trust: directory.store, policy: Composition.rules(of: gate, under: rules))
    }

    private func report(_ file: String, _ bytes: [UInt8], _ verifier: Verifier, _ date: WallTime) -> VerdictReport {
        var runs: [[VerdictReport.StageTime]] = []
        var verdict: Verdict?
        for _ in 0..<`repeat` {
            let watch = StageTimes()
            verdict = verifier.verify(bytes, at: date) { watch.ended($0) }
            runs.append(watch.stages)
        }
        let stages = timings ? Self.medians(runs) : runs.last ?? []
        guard let verdict else { return VerdictReport(file: file, verdict: verifier.verify(bytes, at: date)) }
        return VerdictReport(file: file, verdict: verdict, stages: stages)
    }

    /// The median of each stage over all runs; the runs are equal but for their times.
    private static func medians(_ runs: [[VerdictReport.StageTime]]) -> [VerdictReport.StageTime] {
        guard let first = runs.first else { return [] }
        return first.indices.map { index in
            let times = runs.compactMap { $0.count > index ? $0[index].microseconds : nil }.sorted()
            return VerdictReport.StageTime(first[index].stage, microseconds: times[times.count / 2])
        }
    }

    private func chosenPolicy(over profile: Profile) throws -> VerificationPolicy {
        guard policy != nil || direction == nil else {
            throw CommandFailure("--direction needs --policy", remedy: "name the rules that it is for")
        }
        var chosen = VerificationPolicy(profile: profile)
        let way = try PolicyCommand.direction(direction)
        if let policy { chosen = VerificationPolicy(try PolicyCommand.load(policy), over: chosen, direction: way) }
        if let profile = try chosenProfile() { chosen.profile = profile }
        return chosen
    }

    private func chosenProfile() throws -> Profile? {
        try profile.map { name in
            guard let profile = Profile(rawValue: name) else {
                throw CommandFailure("there is no profile \(name)", remedy: "use strict or compat")
            }
            return profile
        }
    }

    /// The date that is given; else what the gate takes for it, or without a gate this machine's, which somebody can see.
    private func date(_ gate: Configuration?) async throws -> WallTime {
        guard let at else {
            guard let gate else { return WallTime(utc: SystemClock.utc(), provenance: .given) }
            return try await ClockSight.take(gate).time
        }
        guard let utc = Timestamp(rfc3339: at) else {
            throw CommandFailure("--at \(at) is not a date", remedy: "write it as 2026-06-01T09:00:00Z")
        }
        if gate != nil {
            Terminal.error("with --at the gate's rule for its clock is not asked; gatehouse clock show tells its date")
        }
        return WallTime(utc: utc, provenance: .given)
    }
}

/// Notes when stages end. One thread uses it; the lock satisfies the compiler.
private final class StageTimes: Sendable {
    private let state = Mutex<(last: Instant, stages: [VerdictReport.StageTime])>((SystemClock.now(), []))

    func ended(_ stage: Stage) {
        let now = SystemClock.now()
        state.withLock { state in
            let time = Int(state.last.duration(to: now).nanoseconds / 1000)
            state.stages.append(VerdictReport.StageTime(stage, microseconds: time))
            state.last = now
        }
    }

    var stages: [VerdictReport.StageTime] { state.withLock { $0.stages } }
}
