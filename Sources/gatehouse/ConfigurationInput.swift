import ArgumentParser
import Clocks
import Commissioning
import Encoding
import Foundation
import GateService
import Glibc
import LinuxIO
import Settings
import TrustFiles

/// The option that names the appliance's configuration.
struct ConfigurationInput: ParsableArguments {
    static let standard = SetupPlaces.standard

    @Option(name: [.customLong("config")], help: ArgumentHelp("The configuration file.", valueName: "file"))
    private var named = Self.standard

    /// The path of the configuration.
    var path: String {
        get {
            let folders = StandardFolders.inForce
            if folders.root.isEmpty || named.hasPrefix("/") { return folders.place(named) }
            // The current folder, from which the path starts, may be one of the standard folders.
            let path = URL(fileURLWithPath: named).path
            let place = folders.place(path)
            return place == path ? named : place
        }
        set { named = newValue }
    }

    /// Whether the path is the one at which the package's service expects the configuration.
    var isStandard: Bool { named == Self.standard }

    /// The absolute path of the configuration file.
    var absolutePath: String { URL(fileURLWithPath: path).standardizedFileURL.path }

    /// The places of the gate with this configuration.
    var places: SetupPlaces { SetupPlaces(absolutePath) }

    /// Reads the configuration file with the rights of its owner.
    func read() throws(ConfigurationError) -> Configuration {
        let role = OwnerRole(of: path)
        defer { role?.end() }
        return try Configuration.load(path)
    }

    /// The rights of a command run by root, after it knows which gate it is for.
    enum Rights {
        /// The rights of the owner of the gate's folders (``CommandRole``).
        case owners
        /// The command keeps root's own rights, because it also works outside the gate's folders. For its
        /// work in the owner's folders it takes the owner's rights.
        case roots
        /// The command has the rights that its unit leaves it. It cannot become another user with them, and
        /// does not work in any of the gate's folders.
        case units
    }

    /// Reads the configuration, and turns its problems into one failure for people.
    func load(_ rights: Rights = .owners) throws -> Configuration {
        do throws(ConfigurationError) {
            let configuration = try rights == .units ? Configuration.load(path) : read()
            if rights == .owners { CommandRole.take(for: configuration) }
            return configuration
        } catch {
            throw CommandFailure.problems("the configuration", error.problems.count, error.description)
        }
    }
}

extension StandardFolders {
    /// Refuses an invalid value of `GATEHOUSE_ROOT`: the program would otherwise use the machine's own files,
    /// which the variable is meant to protect. In a command run by root, it also refuses a folder that
    /// another user can change: otherwise that user could choose where root writes.
    static func check() throws {
        guard let folders = StandardFolders(ProcessInfo.processInfo.environment) else {
            throw CommandFailure(
                "\(variable) is no absolute path",
                remedy: "unset it, or write the path of a folder, without . and ..")
        }
        var status = stat()
        guard geteuid() == 0, !folders.root.isEmpty, lstat(folders.root, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == 0, status.st_mode & 0o022 == 0 else {
            throw CommandFailure(
                "\(variable) names a folder that others can change",
                remedy: "make it a folder of root's that group and others cannot write to, or unset the variable")
        }
    }
}

extension CommandFailure {
    /// Returns a failure with all problems of a thing, each with its place and remedy on a line of its own.
    static func problems(_ thing: String, _ count: Int, _ lines: String) -> CommandFailure {
        let head = "\(thing) cannot be used: \(count) problem\(count == 1 ? "" : "s")"
        return CommandFailure(head + "\n" + lines)
    }
}

/// Tools for the configuration.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Checks the configuration, and takes signed ones.",
        subcommands: [Check.self, Bundle.self, Import.self])

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reads a configuration and says everything that is wrong with it.",
            discussion: """
                With --here also what this machine has for it, as gatehouse doctor does, but for the running service.

                Exit code: 0 when it can be used, 2 when not; with --here that of gatehouse doctor.
                """)
        @OptionGroup var input: ConfigurationInput
        @Argument(help: "The configuration file, if not given with --config.")
        var file: String?
        @Flag(help: "Is it good for this machine? Radio, lines, files, disk, clock, trust, rules and displays.")
        var here = false
        @OptionGroup var machine: MachineInput
        @Flag(help: "For machines: every key with the value in force, or every problem, as one JSON object.")
        var json = false

        func validate() throws {
            guard here || machine.root == nil else { throw ValidationError("--root goes with --here") }
        }

        func run() async throws {
            var input = input
            if let file {
                guard input.isStandard else {
                    throw CommandFailure("two configurations are given", remedy: "name the file once")
                }
                input.path = file
            }
            if here { return try machine.examine(input, json: json, asksService: false) }
            if json { return try printJSON(input) }
            let (file, configuration) = (input.path, try input.load())
            for line in configuration.listing { Terminal.line(line) }
            Terminal.line("\(file): good")
            Terminal.line("rules \(RuleSource.expected(configuration))")
            let key = configuration.agent.keyNotice(ProcessInfo.processInfo.environment)
            for notice in configuration.notices + [key].compactMap(\.self) {
                Terminal.error("\(notice.key) \(notice.message)", remedy: notice.remedy)
            }
            if let problem = configuration.sticker.problem(at: Machine.clock.utc()) {
                Terminal.error("the printed code is not in force: \(problem.message)", remedy: problem.remedy)
            }
            // Print these troubles, but do not refuse the configuration because of them: the service waits
            // for the files.
            for trouble in MachineLook.agents(configuration) { Terminal.error(trouble.detail, remedy: trouble.remedy) }
        }

        private func printJSON(_ input: ConfigurationInput) throws {
            do throws(ConfigurationError) {
                Terminal.json(try input.read().effective)
            } catch {
                Terminal.json(error.json)
                throw ExitCode(2)
            }
        }
    }
}

extension Configuration {
    /// Every configuration key with its value in force, in lines for a person.
    var listing: [String] {
        (effective.object?.members ?? []).flatMap { section in
            ["[\(section.name)]"]
                + (section.value.object?.members ?? []).map { "  \($0.name) = \($0.value.compactText)" }
        }
    }
}
