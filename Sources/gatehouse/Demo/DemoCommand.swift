import ArgumentParser
import Clocks
import Console
import Credentials
import Encoding
import Foundation
import Kiosk
import Ledger
import LinuxIO
import TrustFiles
import Tuvali
import Workbench

/// The command `gatehouse demo`: runs the whole appliance in one process, with a virtual radio, wallet and cloud agent.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Plays a whole visit in this terminal: no hardware, root or network needed.",
        discussion: """
            The kiosk, its Bluetooth host, the protocol, the verifier, the ledger and the agent connection are the real ones; \
            the radio, the phone and the cloud agent are virtual, and so is the clock. Scenarios: \
            \(DemoScenario.names.joined(separator: ", ")).

            Other scenarios disturb the gate and check its promises: \(DemoPromise.names.joined(separator: ", ")).

            Exit code: 0 when every expectation and promise holds (with --credential: when it is accepted), otherwise 1.
            """)

    @Option(help: ArgumentHelp("The scenario to play.", valueName: "name"))
    var scenario = "accepted"
    @Option(
        help: ArgumentHelp(
            "Send this file as the wallet's payload instead: a credential or a wallet record.", valueName: "file"))
    var credential: String?
    @Option(
        help: ArgumentHelp(
            "With --credential: a trust directory with its rules, in place of the demonstration's own.",
            valueName: "directory"))
    var trust: String?
    @Option(
        help: ArgumentHelp(
            "With --credential: the date at the gate, RFC 3339. (default: 2026-06-01T09:00:00Z)", valueName: "time"))
    var at: String?
    @Flag(help: "One JSON object per line, for machines.")
    var json = false
    @Flag(help: "Do not wait between events.")
    var fast = false
    @Option(help: ArgumentHelp("Seed of the virtual world; the same seed gives the same run.", valueName: "number"))
    var seed: UInt64 = 1
    @Option(
        help: ArgumentHelp(
            "Write the sample credential and its trust directory into this folder for experiments, and exit.",
            valueName: "folder"))
    var export: String?

    func run() async throws {
        if let export { return try SampleExport.write(to: export) }
        if try await DemoPower.live(seed: seed) { return }
        if credential == nil, trust == nil, at == nil, let promise = DemoPromise.named(scenario) {
            return try await play(promise)
        }
        let story = try story()
        let name = try Identifier("Gatehouse-Demo")
        let screen: any DemoScreen =
            json ? JSONScreen() : TerminalScreen(story: story, isPaced: Terminal.isInteractive && !fast)
        let demonstration = try Demonstration(
            story, settings: KioskSettings(name: name, softwareVersion: ProductVersion.text), seed: seed,
            random: SystemRandom.bytes(64), realTime: Machine.clock.now,
            onEvent: { event, now in screen.show(event, at: now) })
        let result = demonstration.run()
        let isAsExpected =
            story.ending.map(result.isAsExpected) ?? (result.outcome?.result == .accepted && result.violations.isEmpty)
        screen.finish(result, isAsExpected: isAsExpected)
        if !isAsExpected { throw ExitCode(1) }
    }

    private func play(_ promise: DemoPromise) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("gatehouse-demo-" + UUID().uuidString).path
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let screen = PromiseScreen(promise, json: json)
            let findings = try await promise.play(
                DemoPromise.Tools(
                    version: ProductVersion.text, seed: seed, folder: folder,
                    pullThePlug: { [seed] in try await DemoPower.pull(in: $0, seed: seed) })
            ) { screen.show($0) }
            return try screen.finish(findings)
        } catch let error as CommandFailure {
            throw error
        } catch let error as ExitCode {
            throw error
        } catch {
            throw CommandFailure("cannot play \(promise.name): \(error)", remedy: "free some space in \(folder)")
        }
    }

    private func story() throws -> DemoScenario {
        guard let credential else {
            if trust != nil || at != nil {
                throw CommandFailure("--trust and --at go with --credential", remedy: "add --credential FILE")
            }
            guard let story = DemoScenario.named(scenario) else {
                throw CommandFailure(
                    "there is no scenario \(scenario)",
                    remedy: "use one of " + (DemoScenario.names + DemoPromise.names).joined(separator: ", "))
            }
            return story
        }
        let clock = try at.map { text in
            guard let clock = Timestamp(rfc3339: text) else {
                throw CommandFailure("--at \(text) is not a date", remedy: "write it as 2026-06-01T09:00:00Z")
            }
            return clock
        }
        let directory = try trust.map { path in try TrustCommand.reading(path) }
        let rules = RulesInForce(file: nil, over: directory).rules
        return DemoScenario.sending(
            try InputFile.bytes(credential), at: clock, trust: directory?.material, rules: rules)
    }
}

/// The output of a demonstration: text for people (``TerminalScreen``) or JSON lines (``JSONScreen``).
protocol DemoScreen {
    func show(_ event: Demonstration.Event, at now: Instant)
    func finish(_ result: Demonstration.Result, isAsExpected: Bool)
}

/// Writes the demonstration's credential and trust directory to a folder. A person can change these files and try the
/// effect.
enum SampleExport {
    static func write(to folder: String) throws {
        let files: [(String, [UInt8])] = [
            ("credential.json", Samples.credential),
            ("wallet-record.json", Samples.record(Samples.credential)),
            ("trust/issuers.toml", Array(issuers.utf8)),
            ("trust/did/farmers.json", Samples.issuerDocument),
            ("trust/contexts/farmer.json", Samples.context.document),
            ("trust/contexts/index.json", Array(index.compactText.utf8)),
        ]
        do {
            for (name, bytes) in files {
                let file = URL(fileURLWithPath: folder).appendingPathComponent(name)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(bytes).write(to: file)
            }
        } catch {
            throw CommandFailure(
                "cannot write to \(folder): \(error.localizedDescription)", remedy: "choose another folder")
        }
        let quoted = { (name: String) in shellWord(folder + "/" + name) }
        Terminal.line("Wrote a credential, a wallet record and a trust directory to \(folder). Try:")
        Terminal.line(
            "  gatehouse verify --trust \(quoted("trust")) --at 2026-06-01T09:00:00Z --explain \(quoted("credential.json"))"
        )
        Terminal.line("  gatehouse demo --trust \(quoted("trust")) --credential \(quoted("credential.json"))")
    }

    /// Returns the path, in quotation marks if a shell would otherwise not read it as one word.
    private static func shellWord(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "/._-".utf8.contains(byte)
        }
        return isPlain ? path : "'" + path.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }

    private static let issuers = """
        untyped-issuers = "refuse"

        [[issuer]]
        id = "\(Samples.issuer)"
        types = ["\(Samples.type)"]

        """

    private static var index: JSON {
        let core: Text = "https://www.w3.org/2018/credentials/v1"
        return [
            [
                "url": .string(Samples.context.url), "file": "farmer.json",
                "sha256": .text(Samples.contextDigest),
            ],
            ["url": .string(core), "sha256": .text(BuiltInContexts.document(core)?.sha256 ?? "")],
        ]
    }
}
