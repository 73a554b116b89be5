import Appliance
import ArgumentParser
import Foundation

/// The service.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs the appliance until SIGTERM.",
        discussion:
            "Exit code: 0 after SIGTERM or SIGINT, 2 when it cannot start (the reason and a remedy are printed).")
    @OptionGroup var input: ConfigurationInput

    func run() async throws {
        let configuration = try input.load()
        do {
            try await ApplianceService.run(
                configuration, version: ProductVersion.text, environment: ProcessInfo.processInfo.environment)
        } catch let failure as ServiceFailure {
            throw CommandFailure(failure.message, remedy: failure.remedy, exitCode: 1)
        } catch let error as TrustDirectoryError {
            throw CommandFailure(error.description)
        }
    }
}
