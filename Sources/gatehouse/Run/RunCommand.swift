import Administration
import Appliance
import ArgumentParser
import Console
import Foundation
import GateService
import Kiosk
import Settings

#if DEBUG
    import Workbench
#endif

/// The command `gatehouse run`: runs the service until SIGTERM or SIGINT.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs the appliance until SIGTERM.",
        discussion:
            """
            Exit code: 0 after SIGTERM or SIGINT, and when the unit should restart it with a new ledger after a \
            restore or a change; 1 after a permanent system error or when records of visits could not be written at \
            the end, 2 when the configuration cannot be used. With any other problem (trust data, policy, ledger, GPIO \
            lines, radio) the service logs it and opens for no credential until it is corrected.
            """)
    @OptionGroup var input: ConfigurationInput

    func run() async throws {
        let configuration = try input.load(.roots)
        if geteuid() == 0, let (key, path) = configuration.placeOfAnother {
            throw CommandFailure(
                "root does not run a gate whose files another user can replace: \(key), \(path)",
                remedy: input.places.told(
                    "run it as that user: systemctl start gatehouse, or without a unit sudo -u USER"),
                exitCode: 1)
        }
        do {
            try await ApplianceService.run(
                configuration, version: ProductVersion.text, made: ProductVersion.made,
                environment: ProcessInfo.processInfo.environment, clock: Machine.clock, spawner: Machine.spawner,
                observe: try Self.oracle(configuration))
        } catch let failure as ServiceFailure {
            throw CommandFailure(failure.message, remedy: failure.remedy, exitCode: 1)
        } catch {
            // Never end with exit code 2: systemd would treat it as a wrong configuration and would not restart the
            // service.
            throw CommandFailure("\(error)", remedy: "check the log; systemd restarts it", exitCode: 1)
        }
    }

    /// Returns an observer that ends a debug build when a turn of the kiosk violates one of the kiosk's rules, before
    /// the turn's actions are carried out. Returns nil in a release build.
    private static func oracle(_ configuration: Configuration) throws -> Gatekeeper.TurnObserver? {
        #if DEBUG
            return Oracle.asserting(try KioskSettings(configuration, softwareVersion: ProductVersion.text))
        #else
            return nil
        #endif
    }
}
