import ArgumentParser
import Commissioning
import Console
import Encoding
import Features
import Foundation
import LinuxIO
import Settings
import Workbench

/// The command `gatehouse doctor`: reports whether a gate works, and the remedy if it does not.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks everything that a gate needs and gives remedies.",
        discussion: """
            Configuration, unit, user, files, disk, radio, lines, displays, clock, trust, rules, agents and the running \
            service: one line for each, with a code and a remedy for a problem. Without a usable configuration it \
            checks everything that does not depend on it. It changes nothing and may be used while the service runs. \
            Root sees everything; other users see what they may not read.

            With --pins it activates each output in turn and asks whether it had the right effect; then it waits for \
            each input in turn while a person presses, opens or passes, and shows its level at rest. The service must \
            be stopped because it uses the lines. With --bench it then plays visits on a virtual radio, with records \
            on the ledger's disk that it deletes afterwards, and prints the time from a credential's last byte to \
            lights and gate on this board.

            Exit code: 0 when everything is in order, 1 when something needs attention or could not be checked, 2 \
            when the gate does not work or opens for no credential.
            """)
    @OptionGroup var input: ConfigurationInput
    @OptionGroup var machine: MachineInput
    @Flag(help: "Test each output, then each input at the door. The service must be stopped.")
    var pins = false
    @Flag(help: "Also measure this board, best while no visitor is at the gate.")
    var bench = false
    @Option(help: ArgumentHelp("Number of visits that --bench plays, two per second.", valueName: "number"))
    var visits = 30
    @Flag(help: "A JSON object, for machines.")
    var json = false

    func validate() throws {
        guard !pins && !bench || machine.root == nil else {
            throw ValidationError("--pins and --bench work only on this machine, not with --root")
        }
        guard visits > 0 else { throw ValidationError("--visits must be at least 1") }
        guard !bench || !json && !pins else {
            throw ValidationError("--bench cannot be combined with --json or --pins")
        }
    }

    func run() async throws {
        if bench {
            let examined = Result { try machine.examine(input, json: false, asksService: true) }
            Terminal.line()
            try await measure()
            return try examined.get()
        }
        guard pins else { return try machine.examine(input, json: json, asksService: true) }
        let findings = try OutputCheck(try input.load(.roots), of: input.places, isSilent: json).findings()
        try DoctorListing.show(findings, [], json: json)
    }
}

extension DoctorCommand {
    /// Measures the speed of this board with records in the ledger's folder. If that folder is not writable, prints
    /// that and uses the folder for temporary files.
    private func measure() async throws {
        // Act as the owner of the ledger's folder, because the measurement writes to it.
        let folder = (try? input.load()).map {
            URL(fileURLWithPath: $0.ledger.path).deletingLastPathComponent().path
        }
        let usable = folder.flatMap { access($0, W_OK) == 0 ? $0 : nil }
        if usable == nil {
            Terminal.line(
                "measured with records in the folder for temporary files: the ledger's folder is not "
                    + "writable")
        }
        if let usable { CommandRole.take(for: usable) }
        let sample = try BenchSample.lean(visits: visits)
        BenchSample.heading.forEach { Terminal.line($0) }
        do {
            let folder = usable.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
            sample.lines(try await sample.measure(below: folder)).forEach { Terminal.line($0) }
        } catch let failure as DecisionBench.Failure {
            throw CommandFailure(failure.reason, remedy: "try it again while the board has less to do", exitCode: 1)
        } catch let error as CocoaError {
            throw CommandFailure(
                "no records can be written: \(error.localizedDescription)",
                remedy: "check the folder of the ledger: gatehouse doctor")
        }
        Terminal.line("The budget of a gate is 5 ms for 99 % of such visits, with a release build.")
    }
}

/// The option that names the machine to examine.
struct MachineInput: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read /sys, /proc, /dev, /etc, /run and units below that folder. Paths in the configuration are not "
                + "changed.",
            valueName: "folder"))
    var root: String?

    /// Prints the findings about the machine. Throws the exit code that belongs to the findings unless it is 0.
    func examine(_ input: ConfigurationInput, json: Bool, asksService: Bool) throws {
        try check()
        let look = look(input, asksService: asksService)
        try DoctorListing.show(look.findings, look.dependencies, json: json)
    }

    /// Throws if the folder of `--root` does not exist or cannot be read.
    func check() throws {
        guard let root, let obstacle = FileObstacle(folder: root) else { return }
        let name = Terminal.printable(root)
        // Use the obstacle's own remedy if the obstacle has one.
        guard let remedy = obstacle.remedy else {
            throw CommandFailure("there is no folder \(name)", remedy: "check --root")
        }
        throw CommandFailure("\(name) \(obstacle.text)", remedy: remedy)
    }

    /// The results of the examination of a machine.
    struct ProbeResult {
        /// The findings about the machine.
        var findings: [Finding]
        /// The board, the system and the versions of the software, as texts.
        var dependencies: [String] = []
        /// The names that the findings contain (`names`), and the name of the gate's policy (`policy`; nil if unknown).
        /// A redacted report omits these texts.
        var names: [String] = []
        var policy: String?
    }

    /// Returns the results of an examination of the machine. Uses a placeholder if the configuration cannot be used.
    func look(_ input: ConfigurationInput, asksService: Bool) -> ProbeResult {
        do throws(ConfigurationError) {
            return look(try input.read(), input, asksService: asksService)
        } catch {
            // Do not ask the service: without a configuration, the path of its control socket is unknown.
            guard let placeholder = try? Configuration.placeholder(for: input.absolutePath) else {
                return ProbeResult(findings: Doctor.findings(error))
            }
            return look(placeholder, input, asksService: false, insteadOf: error)
        }
    }

    private func look(
        _ configuration: Configuration, _ input: ConfigurationInput, asksService: Bool,
        insteadOf mistakes: ConfigurationError? = nil
    ) -> ProbeResult {
        var facts = MachineProbe(root: root ?? "", clock: Machine.clock).facts(
            configuration, file: input.absolutePath, made: ProductVersion.made, asksService: asksService)
        facts.version = ProductVersion.text
        return ProbeResult(
            findings: Doctor(configuration, facts, insteadOf: mistakes).findings,
            dependencies: ["gatehouse " + ProductVersion.text] + facts.dependencies, names: facts.names,
            policy: facts.policyName)
    }
}

/// The output of `gatehouse doctor`, for people or as JSON.
enum DoctorListing {
    /// Prints the findings and a description of the machine. Throws the exit code that belongs to the findings unless
    /// it is 0.
    static func show(_ findings: [Finding], _ dependencies: [String], json: Bool) throws {
        if json {
            let object: JSON = [
                "state": .text(findings.state.rawValue), "machine": .array(dependencies.map { .text($0) }),
                "findings": .array(findings.map(\.json)),
            ]
            Terminal.json(object)
        } else {
            for line in lines(findings, dependencies) { Terminal.line(line) }
        }
        if findings.exitCode != 0 { throw ExitCode(findings.exitCode) }
    }

    /// Returns the findings as lines for a person.
    static func lines(_ findings: [Finding], _ dependencies: [String]) -> [String] {
        var lines = dependencies.isEmpty ? [] : [Terminal.printable(dependencies.joined(separator: ", ")), ""]
        var last: Finding.Check?
        for finding in findings {
            lines += self.lines(finding, isFirst: finding.check != last)
            last = finding.check
        }
        return lines + ["", summary(findings)]
    }

    private static let width = 2 + (Finding.Check.allCases.map(\.rawValue.count).max() ?? 0)
    private static let indent = width + 6

    private static func lines(_ finding: Finding, isFirst: Bool) -> [String] {
        let name = isFirst ? finding.check.rawValue : ""
        let head = name + String(repeating: " ", count: width - name.count) + mark(finding.state) + "  "
        var lines = Terminal.folded(head + Terminal.printable(finding.detail), hanging: indent)
        if finding.state == .good || finding.remedy == nil { return lines }
        let code = finding.code.map { Terminal.printable($0) + ": " } ?? ""
        let space = String(repeating: " ", count: indent)
        lines += Terminal.folded(
            space + "→ " + code + Terminal.printable(finding.remedy ?? ""), hanging: indent + 2)
        return lines
    }

    /// Returns a mark of four characters for a state. The marks differ even without colour.
    private static func mark(_ state: Finding.State) -> String {
        switch state {
        case .good: Terminal.styled("ok  ", .green)
        case .unknown: Terminal.styled("?   ", .amber)
        case .warning: Terminal.styled("look", .bold, .amber)
        case .bad: Terminal.styled("BAD ", .bold, .red)
        }
    }

    private static func summary(_ findings: [Finding]) -> String {
        func count(_ state: Finding.State) -> Int { findings.count { $0.state == state } }
        let parts = [(count(.bad), "bad"), (count(.warning), "attention"), (count(.unknown), "not checked")]
        let told = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return told.isEmpty
            ? Terminal.styled("everything is in order", .bold, .green)
            : Terminal.styled(told, .bold, findings.state == .bad ? .red : .amber)
    }
}
