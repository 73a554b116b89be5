import Administration
import ArgumentParser
import Commissioning
import Console
import Encoding
import Foundation
import LinuxIO
import Settings

/// The command `gatehouse setup`: collects the answers from questions, options or a file, then writes all files of the
/// gate.
struct SetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Sets up a gate from answers, options or a file.",
        discussion: """
            Writes the configuration, installs trust data and the invitation, starts the service and prints the \
            findings of the doctor. Everything is checked before anything is written. In a terminal it asks for \
            everything that the options do not contain; otherwise, and with --yes or --from, it reports everything \
            that is missing. See /usr/share/doc/gatehouse/docs/setup.md.

            An existing configuration is kept unless --replace is given, which keeps a copy of it.

            Exit code: that of gatehouse doctor (0 in order, 1 attention needed, 2 the gate does not work); also 2 \
            when nothing could be written, or the service does not start.
            """)
    @OptionGroup var input: ConfigurationInput
    @OptionGroup var told: SetupInput
    @Option(
        help: ArgumentHelp(
            "Read the answers from a file (TOML); options take precedence. Paths in it are relative to its folder.",
            valueName: "file"))
    var from: String?
    @Flag(help: "Use gatehouse-setup.toml on the boot partition, once, and write the result there.")
    var fromBoot = false
    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false
    @Flag(help: "Replace an existing configuration, and trust data with other contents.")
    var replace = false
    @Flag(inversion: .prefixedNo, help: "Start the service; default: if run as root and systemd is running.")
    var start: Bool?
    @Option(help: ArgumentHelp("The pinout.", valueName: "file"))
    var pinout = Pinout.installed
    @OptionGroup var machine: MachineInput

    func validate() throws {
        guard fromBoot else { return }
        let others = from != nil || !told.answers.questions.isEmpty || replace || start != nil
        guard !others else { throw ValidationError("--from-boot takes its answers only from the file") }
    }

    func run() async throws {
        try machine.check()
        let places = SetupPlaces(input.absolutePath)
        let sight = SetupMachine(
            try Pinout.load(pinout), lookingBelow: machine.root ?? "", clock: Machine.clock)
        if fromBoot { return try boot(sight, places) }
        let (plan, work) = try prepare(sight, places)
        let lines: [String]
        do throws(SystemError) {
            lines = try Interruption.held { () throws(SystemError) in try work.carryOut() }
        } catch {
            throw CommandFailure(
                Terminal.printable("\(error)"), remedy: "correct it and begin again; the configuration was not changed")
        }
        for line in lines { Terminal.line(Terminal.printable(line)) }
        if Interruption.came {
            throw CommandFailure("interrupted; everything is written, and the service was not started", exitCode: 1)
        }
        let isStarted = try await begin(plan, places)
        Terminal.line()
        try machine.examine(input, json: false, asksService: true)
        if !isStarted { throw ExitCode(2) }
    }

    /// The folder above etc/systemd and boot; empty for this machine itself.
    private var root: String { machine.root ?? StandardFolders.inForce.root }

    // MARK: - Answers

    private func prepare(
        _ sight: SetupMachine, _ places: SetupPlaces
    ) throws -> (SetupPlan, SetupWork) {
        try checkPlace(places)
        let (given, origin) = try collect()
        let asks = from == nil && !yes && SetupScreen.isThere
        do {
            var answers = given
            if asks {
                if !replace, FileManager.default.fileExists(atPath: places.file) {
                    throw CommandFailure(SetupWork.exists(places.file), origin)
                }
                answers = try ask(given, sight, places, origin)
            }
            let plan = try SetupPlan(answers, on: sight, at: places)
            let work = try SetupWork(plan, at: places, replaces: answers.replaces, root: root)
            if asks, try !SetupScreen.confirms(plan, places.file) {
                throw CommandFailure("nothing was written", exitCode: 1)
            }
            return (plan, work)
        } catch let error as SetupProblems {
            throw Self.failure(error, origin)
        }
    }

    /// Returns the answers in the options and in the file of `--from`, with absolute paths. Options take precedence.
    private func collect() throws -> (SetupAnswers, SetupOrigin) {
        let here = FileManager.default.currentDirectoryPath
        var answers = told.answers.resolved(in: here)
        answers.replaces = replace
        guard let from else { return (answers, .options) }
        let origin = SetupOrigin.file(from == "-" ? "standard input" : from)
        let bytes = try InputFile.bytes(from, limit: SetupAnswers.largestFile)
        do throws(SetupProblems) {
            let folder = URL(fileURLWithPath: from == "-" ? here + "/-" : from).standardizedFileURL
            let file = try SetupAnswers(file: bytes).resolved(in: folder.deletingLastPathComponent().path)
            return (file.merged(with: answers), origin)
        } catch {
            throw Self.failure(error, origin)
        }
    }

    /// Prints all problems except the last one, and returns the last one as the failure of the command.
    private static func failure(_ error: SetupProblems, _ origin: SetupOrigin) -> any Error {
        for problem in error.problems.dropLast() {
            let failure = CommandFailure(problem, origin)
            Terminal.error(failure.message, remedy: failure.remedy)
        }
        return error.problems.last.map { CommandFailure($0, origin) } ?? ExitCode(2)
    }

    private func ask(
        _ given: SetupAnswers, _ sight: SetupMachine, _ places: SetupPlaces, _ origin: SetupOrigin
    ) throws -> SetupAnswers {
        // Report the problems of the options before the first question.
        for question in given.questions {
            if let problem = SetupPlan.problem(with: question, in: given, on: sight, at: places) {
                throw CommandFailure(problem, origin)
            }
        }
        let here = FileManager.default.currentDirectoryPath
        var dialogue = SetupDialogue(given, on: sight, at: places)
        try SetupScreen.ask(&dialogue) { question, answers in
            SetupWork.problem(with: question, in: answers.resolved(in: here), on: sight, at: places)
        }
        return dialogue.answers.resolved(in: here)
    }

    /// Checks, before the first question, that this user may write the configuration.
    private func checkPlace(_ places: SetupPlaces) throws {
        var folder = places.folder
        while access(folder, F_OK) != 0, errno == ENOENT, folder != "/" {
            folder = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        }
        guard access(folder, W_OK) != 0 else { return }
        let reason = String(cString: strerror(errno))
        throw CommandFailure(
            Terminal.printable("the configuration cannot be written below \(folder): \(reason)"),
            remedy: geteuid() == 0 ? "check the disk: mount, dmesg" : "run it with sudo")
    }

    // MARK: - Start of the service

    /// Starts the service, if the options or the machine require it, and passes the invitation to the running service.
    /// Returns false if the service did not start.
    private func begin(_ plan: SetupPlan, _ places: SetupPlaces) async throws -> Bool {
        let isUsual = geteuid() == 0 && root.isEmpty && places.hasUnit && ServiceStart.isPossible
        if start ?? isUsual {
            Terminal.line("starting the service")
            if let failure = await ServiceStart.start(places.unit) {
                Terminal.error(failure.message, remedy: failure.remedy)
                return false
            }
        }
        guard plan.invitation != nil else { return true }
        // Connect to the agent through the running service. If no service answers, the service reads the invitation
        // from its file at its next start.
        let question = ControlQuestion(socket: nil, input: input)
        guard (try? question.answer(to: .agentList)) ?? nil != nil else { return true }
        do {
            let words = ["--config", input.path, "--wait", "20", places.invitation]
            let command = try AgentConnectCommand.parse(words)
            try await command.run()
        } catch let failure as CommandFailure {
            Terminal.error(failure.message, remedy: failure.remedy)
        } catch is ExitCode {
            // The command has already printed the reason, and the doctor reports it too.
        }
        return true
    }

    // MARK: - The boot partition

    private func boot(_ sight: SetupMachine, _ places: SetupPlaces) throws {
        var isRefused = false
        for folder in SetupBoot.folders {
            let boot = SetupBoot(root + folder, on: sight, at: places, root: root)
            let (outcome, lines) = boot.run {
                let look = machine.look(input, asksService: false)
                return DoctorListing.lines(look.findings, look.dependencies).map(Terminal.unstyled)
            }
            for line in lines { Terminal.line(Terminal.printable(line)) }
            if outcome == .wrong || outcome == .refused { isRefused = true }
        }
        if isRefused { throw ExitCode(2) }
    }
}

extension CommandFailure {
    /// Creates the failure for the problem of one answer.
    init(_ problem: SetupProblem, _ origin: SetupOrigin) {
        let (message, remedy) = origin.text(problem)
        self.init(Terminal.printable(message), remedy: Terminal.printable(remedy))
    }
}
