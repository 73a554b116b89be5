import Encoding
import Foundation
import TestKit
import Testing

/// How a program ended and what it printed.
struct Ending: CustomStringConvertible {
    /// The exit code; minus the signal's number when a signal ended it.
    let code: Int32
    let output: String
    let errors: String

    /// The lines of standard output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// The lines of standard output as JSON; a line that is not JSON is `.null`.
    var json: [JSON] { lines.map { (try? JSON.parse($0)) ?? .null } }

    /// Whether it printed what is wrong and what to do about it.
    var hasRemedy: Bool { errors.hasPrefix("gatehouse: ") && errors.contains("\n  what to do: ") }

    var description: String { "exit \(code)\n\(output.prefix(2000))\n\(errors.prefix(2000))" }
}

/// The reason why a test cannot run a program.
struct ProgramFailure: Error, CustomStringConvertible {
    let description: String
}

/// Runs programs to their end.
enum Program {
    /// The program under test: `GATEHOUSE_BINARY`, or the one that was built with these tests.
    static var gatehouse: String { ProcessInfo.processInfo.environment["GATEHOUSE_BINARY"] ?? built("gatehouse") }

    /// The program of the repository's tools: `GATEHOUSE_WORKSHOP`, or the one that was built with these tests.
    static var workshop: String {
        ProcessInfo.processInfo.environment["GATEHOUSE_WORKSHOP"] ?? built("gatehouse-workshop")
    }

    /// Returns the path of a program that was built with these tests.
    private static func built(_ name: String) -> String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent(name).path
    }

    /// Runs a program on the path, or at a path. The gate's usual folders are in `folder`, unless the
    /// environment sets others. Standard output and error are written to files, so that no pipe can fill up.
    static func run(
        _ program: String, _ arguments: [String], input: String = "", in folder: Scratch,
        environment: [String: String] = [:], within limit: Duration = .seconds(120),
        meanwhile: ((pid_t) async throws -> Void)? = nil
    ) async throws -> Ending {
        let files = [try folder.write(folder.freshName("input"), input)] + ["output", "errors"].map(folder.fresh)
        // env(1) changes the working directory, which posix_spawn cannot do on every system, and then becomes
        // the program.
        let words = ["env", "--chdir=" + folder.url.path, program] + arguments
        let id = try spawn(words, files: files, folder.environment.merging(environment) { $1 })
        var isOver = false
        defer {
            if !isOver {
                kill(-id, SIGKILL)  // with its children: timeout(1) is not the service itself
                waitpid(id, nil, 0)
            }
        }
        try await meanwhile?(id)
        let until = ContinuousClock.now + limit
        var status: Int32 = 0
        while waitpid(id, &status, WNOHANG) != id {
            guard ContinuousClock.now < until else { throw ProgramFailure(description: "\(arguments): no end") }
            try await Task.sleep(for: .milliseconds(5))
        }
        isOver = true
        let signal = status & 0x7F  // wait(2)
        return Ending(
            code: signal == 0 ? (status >> 8) & 0xFF : -signal, output: try text(files[1]), errors: try text(files[2]))
    }

    /// Starts a program in a process group of its own and with an empty signal mask: the threads that run
    /// tests block signals, and a child inherits the mask.
    private static func spawn(
        _ words: [String], files: [String], _ environment: [String: String]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, files[0], O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, files[1], O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, files[2], O_WRONLY | O_CREAT, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        let merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = merged.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var id: pid_t = 0
        let code = posix_spawnp(&id, words[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else {
            throw ProgramFailure(description: "\(words[0]) does not start: \(String(cString: strerror(code)))")
        }
        return id
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }
}

extension Program {
    /// The command prefix that runs a program so that file permissions apply to it, also when the user is
    /// root.
    static let confined = geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : ["env"]
}

/// A folder for one test's files; it is removed with the value.
final class Scratch: Sendable {
    private let folder: TestFolder

    init() throws { folder = try TestFolder("command") }

    var url: URL { folder.url }

    /// The environment that puts the gate's usual folders into this folder, for every program here: none uses
    /// the folders of the machine.
    var environment: [String: String] { ["GATEHOUSE_ROOT": url.path] }

    func path(_ name: String) -> String { folder.path(name) }

    /// Returns an unused path.
    func fresh(_ name: String) -> String { path(freshName(name)) }

    func freshName(_ name: String) -> String { "\(name)-\(UUID().uuidString.prefix(8))" }

    /// Writes a file, and creates missing folders of its path; returns the path.
    @discardableResult
    func write(_ name: String, _ text: String) throws -> String { try folder.write(name, text) }

    /// Does the same for bytes.
    @discardableResult
    func write(_ name: String, _ bytes: [UInt8]) throws -> String { try folder.write(name, bytes) }

    func read(_ name: String) throws -> String { try folder.read(name) }

    /// Runs the program under test in this folder.
    func gatehouse(_ arguments: String..., input: String = "") async throws -> Ending {
        try await gatehouse(arguments, input: input)
    }

    /// Does the same for a list of arguments.
    func gatehouse(_ arguments: [String], input: String = "") async throws -> Ending {
        try await Program.run(Program.gatehouse, arguments, input: input, in: self)
    }

    /// Runs the program of the repository's tools in this folder.
    func workshop(_ arguments: String..., input: String = "") async throws -> Ending {
        try await Program.run(Program.workshop, arguments, input: input, in: self)
    }

    /// Runs the program under test with file permissions applied, also when the user is root.
    func confinedGatehouse(_ arguments: [String]) async throws -> Ending {
        let words = Program.confined + [Program.gatehouse] + arguments
        return try await Program.run(words[0], Array(words.dropFirst()), in: self)
    }

    /// Waits until the service of that configuration answers, which may be later than its first output.
    func waitForService(_ configuration: String) async throws {
        try await eventually("the service answers") {
            try await gatehouse("status", "--config", configuration).code != 2
        }
    }

    /// Runs the service until its output, by default on standard error, contains all these words, and asks it
    /// to end.
    func serve(
        _ configuration: String, log: String? = nil, until words: [String], _ body: (() async throws -> Void)? = nil
    ) async throws -> Ending {
        // Through timeout(1): when the test is interrupted, the process ends, too.
        try await Program.run(
            "timeout", ["--signal=KILL", "60", Program.gatehouse, "run", "--config", configuration], in: self
        ) { [self] id in
            let limit = ContinuousClock.now + .seconds(30)
            // The service handles signals before it first looks for a controller.
            while case let text = (try? log.map(read) ?? errors()) ?? "",
                let missing = (words + ["\"event\":\"radio.failed\""]).first(where: { !text.contains($0) })
            {
                guard ContinuousClock.now < limit else {
                    throw ProgramFailure(description: "no \(missing) within 30 s: \(text)")
                }
                try await Task.sleep(for: .milliseconds(20))
            }
            try await body?()
            kill(id, SIGTERM)
        }
    }

    /// Returns the standard error output of the programs in this folder so far.
    func errors() throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        return try names.filter { $0.hasPrefix("errors-") }.map(read).joined()
    }

    /// Sets the permissions of a file or folder.
    func setMode(_ name: String, _ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    }

    /// Writes the sample credential and its trust directory below `sample`.
    func exportSample() async throws {
        let ending = try await gatehouse("demo", "--export", "sample")
        guard ending.code == 0 else { throw ProgramFailure(description: "\(ending)") }
    }

    /// Writes a configuration without hardware that needs nothing outside this folder; returns its path.
    func configuration(
        _ name: String = "gate.toml", ledger: String = "state/gatehouse.db", port: Int = 1, more: String = ""
    ) throws -> String {
        try write("trust/issuers.toml", "profile = \"strict\"\n")
        return try write(
            name,
            """
            [kiosk]
            name = "Test-Gate"
            [radio]
            transport = "tcp"
            port = \(port)
            [trust]
            directory = "trust"
            [clock]
            minimum = "unset"
            [ledger]
            path = "\(ledger)"
            [display]
            kind = "none"
            [control]
            path = "control.sock"
            \(more)
            """)
    }
}

/// Returns a TCP port on which no server listens. It stays taken until this program ends: otherwise another
/// test's server could get it meanwhile.
func closedPort() throws -> Int { try BoundPort().number }
