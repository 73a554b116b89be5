import ArgumentParser
import Commissioning
import Encoding
import Foundation
import LinuxIO
import Settings

/// Reports whether a gate works, and what to do if it does not.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Looks at everything a gate needs and says what to do.",
        discussion: """
            Configuration, unit, user, files, disk, radio, lines, displays, clock, trust, rules, agents and the running \
            service: a line each, with a code and a remedy where something is wrong. Where the configuration is absent or has \
            mistakes, all that does not hang on it. It changes nothing and may be used beside the running service. As root it sees all; others are told what they may not look at.

            With --pins it makes each output active in turn and asks whether the right thing happened; then it waits for each input \
            in turn, while somebody presses, opens or passes, and says what it is at rest. The service has to be stopped for that, \
            as it holds the lines. With --bench it then plays visits on a virtual radio, with records on the ledger's \
            own disk that it deletes again, and prints how long this board takes from a credential's last byte to lights and gate: \
            `gatehouse bench` has more of it.

            Exit code: 0 when all is in order, 1 when somebody should do something or something could not be looked at, 2 when \
            the gate does not work or lets nobody in.
            """)
    @OptionGroup var input: ConfigurationInput
    @OptionGroup var machine: MachineInput
    @Flag(help: "Tries each output, then each input at the door. The service must be stopped.")
    var pins = false
    @Flag(help: "Also measures this board. Best while nobody is at the gate.")
    var bench = false
    @Option(help: ArgumentHelp("Visits that --bench plays, two a second.", valueName: "number"))
    var visits = 30
    @Flag(help: "A JSON object, for machines.")
    var json = false

    func validate() throws {
        guard !pins && !bench || machine.root == nil else {
            throw ValidationError("--pins and --bench are for the machine itself, not for one below --root")
        }
        guard visits > 0 else { throw ValidationError("--visits is at least 1") }
        guard !bench || !json && !pins else {
            throw ValidationError("--bench goes with neither --json nor --pins: see gatehouse bench --json")
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
        let findings = try PinsRitual(try input.load(.roots), of: input.places, isSilent: json).findings()
        try DoctorListing.show(findings, [], json: json)
    }
}

extension DoctorCommand {
    /// Measures the board with records in the ledger's folder. If that folder cannot be written to, uses the
    /// folder for temporary files and reports that.
    private func measure() async throws {
        // The measurement writes to the folder, so take the owner's rights.
        let folder = (try? input.load()).map {
            URL(fileURLWithPath: $0.ledger.path).deletingLastPathComponent().path
        }
        let usable = folder.flatMap { access($0, W_OK) == 0 ? $0 : nil }
        if usable == nil {
            Terminal.line("measured with records among the temporary files: the ledger's folder cannot be written")
        }
        let words = ["--visits", "\(visits)"] + (usable.map { ["--folder", $0] } ?? [])
        try await BenchCommand.parse(words).run()
        Terminal.line("The budget of a gate is 5 ms for 99 of 100 such visits, on a release build.")
    }
}

/// The machine to look at.
struct MachineInput: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Looks for /sys, /proc, /dev, /etc, /run and units below that folder. Paths of the configuration stay.",
            valueName: "folder"))
    var root: String?

    /// Prints the findings, and throws their exit code.
    func examine(_ input: ConfigurationInput, json: Bool, asksService: Bool) throws {
        try check()
        let look = look(input, asksService: asksService)
        try DoctorListing.show(look.findings, look.surroundings, json: json)
    }

    /// Refuses a folder that does not exist.
    func check() throws {
        guard let root, let obstacle = FileObstacle(folder: root) else { return }
        let name = Terminal.printable(root)
        // Use the obstacle's own remedy if it has one.
        guard let remedy = obstacle.remedy else {
            throw CommandFailure("there is no folder \(name)", remedy: "check --root")
        }
        throw CommandFailure("\(name) \(obstacle.text)", remedy: remedy)
    }

    /// The results of a look at a machine.
    struct Look {
        /// The findings about the machine.
        var findings: [Finding]
        /// The board, the system and the versions with which the findings were made.
        var surroundings: [String] = []
        /// The texts in the findings that are names, and the name of the rules. A report for others leaves
        /// these texts out.
        var names: [String] = []
        var policy: String?
    }

    /// Looks at the machine.
    func look(_ input: ConfigurationInput, asksService: Bool) -> Look {
        do throws(ConfigurationError) {
            return look(try input.read(), input, asksService: asksService)
        } catch {
            // Without a configuration, the control socket of the service is not known.
            guard let standIn = try? Configuration.standIn(for: input.absolutePath) else {
                return Look(findings: Doctor.findings(error))
            }
            return look(standIn, input, asksService: false, insteadOf: error)
        }
    }

    private func look(
        _ configuration: Configuration, _ input: ConfigurationInput, asksService: Bool,
        insteadOf mistakes: ConfigurationError? = nil
    ) -> Look {
        var facts = MachineLook(root: root ?? "", clock: Machine.clock).facts(
            configuration, file: input.absolutePath, made: ProductVersion.made, asksService: asksService)
        facts.version = ProductVersion.text
        return Look(
            findings: Doctor(configuration, facts, insteadOf: mistakes).findings,
            surroundings: ["gatehouse " + ProductVersion.text] + facts.surroundings, names: facts.names,
            policy: facts.policyName)
    }
}

/// The output of `gatehouse doctor`.
enum DoctorListing {
    /// Prints the findings and the machine on which they were made. Throws the findings' exit code unless it
    /// is 0.
    static func show(_ findings: [Finding], _ surroundings: [String], json: Bool) throws {
        if json {
            let object: JSON = [
                "state": .text(findings.state.rawValue), "machine": .array(surroundings.map { .text($0) }),
                "findings": .array(findings.map(\.json)),
            ]
            Terminal.json(object)
        } else {
            for line in lines(findings, surroundings) { Terminal.line(line) }
        }
        if findings.exitCode != 0 { throw ExitCode(findings.exitCode) }
    }

    /// Returns the lines for a person.
    static func lines(_ findings: [Finding], _ surroundings: [String]) -> [String] {
        var lines = surroundings.isEmpty ? [] : [Terminal.printable(surroundings.joined(separator: ", ")), ""]
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

    /// Returns a mark of four characters; the marks differ even without colour.
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
        let parts = [(count(.bad), "bad"), (count(.warning), "to look after"), (count(.unknown), "not looked at")]
        let told = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return told.isEmpty
            ? Terminal.styled("all is in order", .bold, .green)
            : Terminal.styled(told, .bold, findings.state == .bad ? .red : .amber)
    }
}
