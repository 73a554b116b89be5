import ArgumentParser
import Console

/// The program of a gate: the service, the operators' commands and a demonstration.
@main
struct Gatehouse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse",
        abstract:
            "A verifier for gates: receives a credential from a phone by Bluetooth, verifies it offline, "
            + "opens the gate.",
        discussion: """
            Start with `gatehouse demo`: a whole visit on a virtual radio, with no hardware, root or network.

            Exit codes: 0 done (verify: all accepted), 1 something was not accepted or not in order, 2 usage, \
            configuration or input/output error.
            """,
        version: ProductVersion.text,
        groupedSubcommands: groups)

    /// The commands in groups, in the order of the help. The sources of each group are in one folder. Commands that
    /// only systemd units run are not shown in the help.
    private static let groups = [
        CommandGroup(name: "Demo", subcommands: [DemoCommand.self]),
        CommandGroup(
            name: "Set-up",
            subcommands: [
                SetupCommand.self, DoctorCommand.self, ConfigCommand.self, StickerCommand.self, BackupCommand.self,
                RestoreCommand.self,
            ]),
        CommandGroup(
            name: "Run",
            subcommands: [
                RunCommand.self, StatusCommand.self, DoorCommand.self, ClockCommand.self, OpenRadioCommand.self,
                ResetRadioCommand.self, ReleaseLinesCommand.self,
            ]),
        CommandGroup(
            name: "Trust",
            subcommands: [TrustCommand.self, PolicyCommand.self, VerifyCommand.self, ReasonsCommand.self]),
        CommandGroup(name: "Records", subcommands: [LedgerCommand.self, ReportCommand.self]),
        CommandGroup(name: "Agents", subcommands: [AgentCommand.self]),
    ]

    static func main() async {
        Terminal.openMissingStreams()
        await CommandStart.run(Self.self)
    }
}
