import ArgumentParser
import Console

/// The only executable: the service, a demonstration and the tools.
@main
struct Gatehouse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse",
        abstract:
            "A verifier for gates: takes a credential from a phone by Bluetooth, checks it offline, opens the gate.",
        discussion: """
            Start with `gatehouse demo`: a whole visit on a virtual radio, with no hardware, root or network.

            Exit codes: 0 done (verify: all accepted), 1 not everything was accepted or in order, 2 usage, configuration \
            or input/output.
            """,
        version: ProductVersion.text,
        subcommands: [
            DemoCommand.self, SetupCommand.self, RunCommand.self, VerifyCommand.self, TrustCommand.self,
            AgentCommand.self, LedgerCommand.self, ClockCommand.self, PolicyCommand.self, ReasonsCommand.self,
            ConfigCommand.self, ReleaseLinesCommand.self, OpenRadioCommand.self, ResetRadioCommand.self,
            StatusCommand.self, DoorCommand.self, DoctorCommand.self,
            ReportCommand.self,
            StickerCommand.self, BackupCommand.self, RestoreCommand.self,
        ])

    static func main() async { await CommandStart.run(Self.self) }
}
