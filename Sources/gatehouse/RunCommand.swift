import Appliance
import ArgumentParser
import Foundation

/// The service.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs the appliance until SIGTERM.",
        discussion:
            """
            Exit code: 0 after SIGTERM or SIGINT, 2 when the configuration cannot be used, 1 when the system refuses what no \
            waiting mends. Whatever else is wrong (trust data, policy, ledger, GPIO lines, radio) is told in the log, nobody \
            is let in by it, and the service goes on as soon as it is mended.
            """)
    @OptionGroup var input: ConfigurationInput

    func run() async throws {
        let configuration = try input.load()
        do {
            try await ApplianceService.run(
                configuration, version: ProductVersion.text, environment: ProcessInfo.processInfo.environment)
        } catch let failure as ServiceFailure {
            throw CommandFailure(failure.message, remedy: failure.remedy, exitCode: 1)
        } catch {
            // Never 2, which systemd takes for a wrong configuration and leaves the gate down.
            throw CommandFailure("\(error)", remedy: "look at the log; systemd starts it again", exitCode: 1)
        }
    }
}
