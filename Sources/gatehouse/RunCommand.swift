import Appliance
import ArgumentParser
import Foundation
import Kiosk
import Workbench

/// The service.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs the appliance until SIGTERM.",
        discussion:
            """
            Exit code: 0 after SIGTERM or SIGINT, 1 when something on this machine keeps it from running (database, GPIO \
            lines, log) or when records of visits could not be written by its end, 2 when configuration, trust directory or \
            policy cannot be used. The reason and a remedy are printed.
            """)
    @OptionGroup var input: ConfigurationInput

    func run() async throws {
        let configuration = try input.load()
        do {
            try await ApplianceService.run(
                configuration, version: ProductVersion.text, environment: ProcessInfo.processInfo.environment,
                observe: try Self.oracle(configuration))
        } catch let failure as ServiceFailure {
            throw CommandFailure(failure.message, remedy: failure.remedy, exitCode: 1)
        } catch let error as TrustDirectoryError {
            throw CommandFailure.problems("the trust directory", error.problems.count, error.description)
        } catch let error as PolicyLoadError {
            throw CommandFailure.problems("the policy", error.problems.count, error.description)
        }
    }

    /// A debug build ends before it does what the kiosk's rules forbid; a release build does not carry them along.
    private static func oracle(_ configuration: Configuration) throws -> Gatekeeper.TurnObserver? {
        #if DEBUG
            return Oracle.asserting(try KioskSettings(configuration, softwareVersion: ProductVersion.text))
        #else
            return nil
        #endif
    }
}
