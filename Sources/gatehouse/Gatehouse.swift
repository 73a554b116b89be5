import ArgumentParser
import Foundation
import LinuxIO
import Settings

/// The only executable: the service, a demonstration and the tools.
@main
struct Gatehouse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse",
        abstract:
            "A verifier for gates: receives a credential from a phone by Bluetooth, verifies it offline, opens the "
            + "gate.",
        discussion: """
            Start with `gatehouse demo`: a whole visit on a virtual radio, with no hardware, root or network.

            Exit codes: 0 done (verify: all accepted), 1 something was not accepted or not in order, 2 usage, \
            configuration or input/output error.
            """,
        version: ProductVersion.text,
        subcommands: [
            DemoCommand.self, SetupCommand.self, RunCommand.self, VerifyCommand.self, TrustCommand.self,
            LinkedDataCommand.self,
            AgentCommand.self, LedgerCommand.self, ClockCommand.self, PolicyCommand.self, ReasonsCommand.self,
            ConfigCommand.self, ReleaseLinesCommand.self, OpenRadioCommand.self, ResetRadioCommand.self,
            BenchCommand.self, CrowdCommand.self, StatusCommand.self, DoorCommand.self, DoctorCommand.self,
            ReportCommand.self,
            StickerCommand.self, HardwareCommand.self, ReferenceCommand.self, BackupCommand.self, RestoreCommand.self,
        ])

    static func main() async {
        Terminal.openMissingStreams()
        Heap.keepFreedMemory()
        do {
            // Swift reads the arguments from /proc. Without them, every command would be taken for a call for
            // help, and succeed.
            guard !CommandLine.arguments.isEmpty else {
                throw CommandFailure(
                    "cannot read the command line: is /proc mounted?",
                    remedy: "mount it: mount -t proc proc /proc; in a container, provide /proc")
            }
            try StandardFolders.check()
            var command = try command(of: Array(CommandLine.arguments.dropFirst()))
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            LastWords(for: error).end()
        }
    }

    /// Returns the command that the arguments `words` name. A thrown error may be no failure, but the help or
    /// the version that the arguments ask for.
    static func command(of words: [String]) throws -> any ParsableCommand {
        if let word = CommandWord.unknown(in: words, of: Self.self) { throw word.failure }
        return try parseAsRoot(words)
    }
}

/// A failure for a person: the fault and its remedy.
struct CommandFailure: Error {
    let message: String
    let remedy: String?
    let exitCode: Int32

    init(_ message: String, remedy: String? = nil, exitCode: Int32 = 2) {
        (self.message, self.remedy, self.exitCode) = (message, remedy, exitCode)
    }
}
