import ArgumentParser
import Clocks
import Console
import Credentials
import Encoding
import LinuxIO
import Settings
import Synchronization
import TrustFiles

/// The command `gatehouse verify`: verifies credentials or wallet payloads from files, offline.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verifies credentials or wallet payloads from files.",
        discussion: """
            Prints text on a terminal, and a JSON line for each file otherwise, or with --json.

            A file that cannot be read does not prevent the verification of the others.

            An accepted presentation was accepted for the credentials that are marked as decided; the others were \
            only verified.

            With --config the date is as trustworthy as gatehouse clock show says: if the gate's rules require more, \
            nothing is accepted (clock.untrusted). A date given with --at is trusted.

            Exit code: 0 when all are accepted, 1 when some are rejected, 2 for usage or input/output errors.
            """)

    @Option(
        help: ArgumentHelp(
            "The trust directory (issuers.toml, did/, contexts/, status/, roots/) or a bundle. Without it no issuer "
                + "is trusted.",
            valueName: "path"))
    var trust: String?
    @Option(help: ArgumentHelp("With a bundle: the operator's key (z6Mk…).", valueName: "key"))
    var key: String?
    @Option(
        help: ArgumentHelp(
            "Verify as this gate does: trust, rules and clock of its configuration.", valueName: "file"))
    var config: String?
    @Option(
        help: ArgumentHelp(
            "The gate's rules; default: the policy.toml in the directory or bundle of --trust.",
            valueName: "file"))
    var policy: String?
    @Flag(help: "Verify without rules, even if --trust contains some.")
    var noPolicy = false
    @Option(help: ArgumentHelp("With rules: the gate's direction, in or out.", valueName: "name"))
    var direction: String?
    @Option(
        help: ArgumentHelp(
            "strict or compat; default: that of the policy, then of issuers.toml, then strict.", valueName: "name")
    )
    var profile: String?
    @Option(
        help: ArgumentHelp(
            "The date to verify at, RFC 3339; default: this machine's clock, with --config as the gate judges it.",
            valueName: "time"))
    var at: String?
    @Option(
        help: ArgumentHelp(
            "The challenge given to the holder: nothing is accepted without a proof over it; for a presentation its "
                + "signer's.",
            valueName: "text"
        ))
    var nonce: String?
    @Option(
        help: ArgumentHelp(
            "The name in the holder's proof; with --config the default is the gate's name. An unknown name is foreign.",
            valueName: "name"))
    var audience: String?
    @Flag(help: "Explain the stages of each verification in text instead of JSON.")
    var explain = false
    @Flag(help: "A JSON line for each file, even on a terminal.")
    var json = false
    @Option(help: ArgumentHelp("Verify each file that number of times.", valueName: "number"))
    var `repeat` = 1
    @Flag(help: "With --repeat: report the median time of each stage.")
    var timings = false
    @Argument(help: ArgumentHelp("Files; - is standard input.", valueName: "file"))
    var files: [String]

    func run() async throws {
        guard !files.isEmpty else { throw CommandFailure("no file given", remedy: "gatehouse verify FILE…") }
        guard !explain || !json else {
            throw CommandFailure("--explain and --json cannot be combined", remedy: "remove one of them")
        }
        guard (1...1_000_000).contains(`repeat`) else { throw CommandFailure("--repeat takes 1 to 1000000") }
        guard !timings || `repeat` > 1 else {
            throw CommandFailure(
                "--timings prints medians, so it needs --repeat",
                remedy: "add --repeat 100; the times of one run are in its stages")
        }
        guard policy == nil || !noPolicy else {
            throw CommandFailure("--policy and --no-policy cannot be combined", remedy: "remove one of them")
        }
        let gate = try self.gate()
        let (verifier, origin) = try self.verifier(gate)
        let date = try await self.date(gate)
        let demand = self.demand(gate)
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
            var report = report(file, bytes, verifier, demand, date)
            report.policyOrigin = origin
            if !report.verdict.isAccepted { worst = max(worst, 1) }
            if explain || !json && Terminal.isInteractive {
                // Make the lines printable: they contain parts of the credential, which may contain control characters.
                for line in (explain ? report.explanation : report.summary).map(Terminal.printable) {
                    let margin = line.prefix { $0 == " " }.count
                    // Do not fold lines in a pipe: the program that reads them may search for whole sentences.
                    let parts = Terminal.isInteractive ? Terminal.folded(line, hanging: margin + 2) : [line]
                    for part in parts { Terminal.line(part) }
                }
            } else {
                Terminal.json(text: report.jsonLine)
            }
        }
        if worst != 0 { throw ExitCode(worst) }
    }

    /// Returns the configuration of the gate whose verdict the user wants; nil without `--config`.
    private func gate() throws -> Configuration? {
        guard let config else { return nil }
        guard trust == nil, policy == nil, !noPolicy, direction == nil, profile == nil else {
            throw CommandFailure(
                "--config selects the trust data and rules of the gate",
                remedy: "remove --trust, --policy, --no-policy, --direction and --profile")
        }
        var input = ConfigurationInput()
        input.path = config
        return try input.load()
    }

    /// Returns the verifier of `gate`, or the verifier that the options describe if `gate` is nil. `origin` is the
    /// origin of the verifier's rules; nil if it has no rules.
    private func verifier(_ gate: Configuration?) throws -> (verifier: Verifier, origin: String?) {
        let store: TrustStore
        let inForce: RulesInForce
        let chosen: VerificationPolicy
        if let gate {
            let directory = try TrustCommand.usable { () throws(TrustDirectoryError) in
                try TrustCommand.inForce(gate.trust)
            }
            store = directory.store
            inForce = RulesInForce(file: gate.policy.file, over: directory)
            chosen = ConfiguredPolicy.rules(of: gate, under: try PolicyCommand.usable(inForce))
        } else {
            let directory = try trust.map { try TrustCommand.reading($0, key: key) }
            store = try directory?.store ?? TrustStore(TrustMaterial())
            if let policy { CommandRole.take(for: policy) }
            // Read the rules as their owner, who may be another user than the owner of the trust data.
            let read = { RulesInForce(file: policy, over: noPolicy ? nil : directory) }
            inForce = policy.map { CommandRole.asOwner(of: $0, read) } ?? read()
            chosen = try chosenPolicy(PolicyCommand.usable(inForce))
        }
        return (Verifier(trust: store, policy: chosen), inForce.rules.map { _ in inForce.origin })
    }

    /// Returns the proof that the holder must give, from `--nonce` and `--audience`; an empty demand without these
    /// options.
    private func demand(_ gate: Configuration?) -> HolderDemand {
        guard nonce != nil || audience != nil else { return HolderDemand() }
        return HolderDemand(
            nonce: nonce.map { Text($0) }, audience: (audience ?? gate?.kiosk.name).map { Text($0) }, required: true)
    }

    private func report(
        _ file: String, _ bytes: [UInt8], _ verifier: Verifier, _ demand: HolderDemand, _ date: WallTime
    ) -> VerdictReport {
        var runs: [[VerdictReport.StageTime]] = []
        var verdict: Verdict?
        for _ in 0..<`repeat` {
            let watch = StageTimes()
            verdict = verifier.verify(bytes, demand: demand, at: date) { watch.ended($0) }
            runs.append(watch.stages)
        }
        let stages = timings ? Self.medians(runs) : runs.last ?? []
        guard let verdict else {
            return VerdictReport(file: file, verdict: verifier.verify(bytes, demand: demand, at: date))
        }
        return VerdictReport(file: file, verdict: verdict, stages: stages)
    }

    /// Returns the median time of each stage over all runs. All runs have the same stages.
    private static func medians(_ runs: [[VerdictReport.StageTime]]) -> [VerdictReport.StageTime] {
        guard let first = runs.first else { return [] }
        return first.indices.map { index in
            let times = runs.compactMap { $0.count > index ? $0[index].microseconds : nil }.sorted()
            return VerdictReport.StageTime(first[index].stage, microseconds: times[times.count / 2])
        }
    }

    private func chosenPolicy(_ rules: GatePolicy?) throws -> VerificationPolicy {
        var chosen = VerificationPolicy()
        let way = try PolicyCommand.direction(direction)
        guard rules != nil || way == nil else {
            throw CommandFailure("--direction needs rules", remedy: "give the rules: --policy FILE")
        }
        if let rules { chosen = VerificationPolicy(rules, over: chosen, direction: way) }
        if let profile = try chosenProfile() { chosen.statedProfile = profile }
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

    /// Returns the date of `--at`; without it, the date that the service of `gate` would use. Without a gate, returns
    /// the date of this machine's clock as `given`, because the user can see and correct it.
    private func date(_ gate: Configuration?) async throws -> WallTime {
        guard let at else {
            guard let gate else { return WallTime(utc: Machine.clock.utc(), provenance: .given) }
            return try await ClockProbe.take(gate).time
        }
        guard let utc = Timestamp(rfc3339: at) else {
            throw CommandFailure("--at \(at) is not a date", remedy: "write it as 2026-06-01T09:00:00Z")
        }
        if gate != nil {
            Terminal.error(
                "with --at the gate's rule for its clock is not applied; gatehouse clock show prints its "
                    + "date")
        }
        return WallTime(utc: utc, provenance: .given)
    }
}

/// Measures the time of each stage. Only one thread uses the object; it has a lock only because the compiler requires
/// `Sendable`.
private final class StageTimes: Sendable {
    private let state = Mutex<(last: Instant, stages: [VerdictReport.StageTime])>((Machine.clock.now(), []))

    func ended(_ stage: Stage) {
        let now = Machine.clock.now()
        state.withLock { state in
            let time = Int(state.last.duration(to: now).nanoseconds / 1000)
            state.stages.append(VerdictReport.StageTime(stage, microseconds: time))
            state.last = now
        }
    }

    var stages: [VerdictReport.StageTime] { state.withLock { $0.stages } }
}
