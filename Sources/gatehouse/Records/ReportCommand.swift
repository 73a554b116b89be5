import Administration
import ArgumentParser
import Clocks
import Commissioning
import Console
import Encoding
import Foundation
import LinuxIO
import Monitoring
import Observation
import Settings

/// The command `gatehouse report`: writes a report with which a person elsewhere can find the fault of a gate.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Writes a report about this gate for remote support.",
        discussion: """
            It contains versions, the findings of the doctor, the status of the running service, every setting, and a \
            log if one is given. It changes nothing. It never contains credentials, keys or invitations. With \
            --redacted it also contains no names, hosts, links, DIDs, identifiers or addresses: each is replaced by a \
            word with a number, the same everywhere. If the configuration cannot be read, so that its names are \
            unknown, the log and the service's answers are omitted.

            Read it before you send it. Exit code: 0, whatever the gate's state is.
            """)
    @OptionGroup var input: ConfigurationInput
    @OptionGroup var machine: MachineInput
    @Flag(help: "Replace names and addresses.")
    var redacted = false
    @Option(
        help: ArgumentHelp(
            "A log whose last \(Self.lines) lines are included; - is standard input: journalctl -u gatehouse -o cat | "
                + "gatehouse report --log -", valueName: "file"))
    var log: String?

    /// The number of lines at the end of the log that the report contains at most.
    private static let lines = 1000

    func run() async throws {
        try machine.check()
        let configuration = try? input.read()
        let log = try log.map { try Self.tail(Self.bytes($0, configuration)) }
        let answer = try? ControlQuestion(socket: nil, input: input).answer(to: .status)
        let status = answer.map { StatusReport($0) }
        let look = machine.look(input, asksService: true)
        var words = RedactionTerms(configuration, file: input.path)
        words.take(names: look.names + [Self.hostName])
        if let policy = look.policy { words.take(policy: policy) }
        if let status { words.take(status) }
        // If the names in the configuration are unknown, they cannot be found in the log and in the service's answers.
        let isBlind = redacted && !words.knowsSettings
        let withheld = ["omitted: the configuration cannot be read, so the names in it are unknown"]

        var lines = ["# Gate report, \(Machine.clock.utc().rfc3339)", ""]
        let machine = look.dependencies.isEmpty ? ["gatehouse " + ProductVersion.text] : look.dependencies
        lines += ["## Machine", ""] + machine + ["", "## Findings of the doctor", ""]
        // Do not fold the lines. A fold inside a name of several words would hide the name from the redaction.
        lines += look.findings.map(Self.line) + ["", "## Status of the service", ""]
        if let status {
            lines +=
                isBlind ? withheld : (status.json.object?.members ?? []).map { "\($0.name) = \($0.value.compactText)" }
        } else {
            lines.append("it does not answer")
        }
        lines += ["", "## Settings", ""] + (configuration?.listing ?? ["they cannot be read"])
        if let log { lines += ["", "## Log", ""] + (isBlind ? withheld : log) }

        var redaction = Redaction(takesNames: redacted, secrets: words.secrets, words: words.names)
        for line in lines { Terminal.line(Terminal.printable(redaction.text(line))) }
    }

    private static func line(_ finding: Finding) -> String {
        let remedy = [finding.code, finding.remedy].compactMap(\.self).joined(separator: ": ")
        return "\(finding.check.rawValue): \(finding.state.rawValue): \(finding.detail)"
            + (remedy.isEmpty ? "" : " → " + remedy)
    }

    /// The machine's host name, read from the kernel. A resolver could be slow.
    private static var hostName: String {
        (try? String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8))?.trimmingCharacters(
            in: .whitespacesAndNewlines)
            ?? ""
    }

    /// Reads the bytes of a log. If the path leads through the folder of the service, reads with the rights of the
    /// folder's owner: a link in that folder may lead to a file that only root may read.
    private static func bytes(_ path: String, _ configuration: Configuration?) throws -> [UInt8] {
        let usual = StandardFolders.inForce.place(StandardFolders.state)
        let role = configuration.map { $0.ownerRole() } ?? OwnerRole(of: usual)
        defer { role?.end() }
        return try role.at(path) { try InputFile.bytes(path) }
    }

    /// Returns the last ``lines`` lines of a log. Considers only the last MiB.
    private static func tail(_ bytes: [UInt8]) -> [String] {
        let text = String(decoding: bytes.suffix(1 << 20), as: UTF8.self)
        return text.split(separator: "\n").suffix(lines).map(String.init)
    }
}
