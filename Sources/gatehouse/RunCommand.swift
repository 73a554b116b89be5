import Administration
import Appliance
import ArgumentParser
import Foundation
import GateService
import Kiosk
import Settings
import Workbench

/// Runs the service.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs the appliance until SIGTERM.",
        discussion:
            """
            Exit code: 0 after SIGTERM or SIGINT, and when it is to be started again, as the unit does, with a new ledger in the \
            place of one that was put back or changed; 1 when the system refuses what no waiting mends or when records of visits could \
            not be written by its end, 2 when the configuration cannot be used. Whatever else is wrong (trust data, policy, \
            ledger, GPIO lines, radio) is told in the log, nobody is let in by it, and the service goes on as soon as it is \
            mended.
            """)
    @OptionGroup var input: ConfigurationInput

    func run() async throws {
        let configuration = try input.load(.roots)
        if geteuid() == 0, let (key, path) = configuration.placeOfAnother {
            throw CommandFailure(
                "root serves no gate whose files another user can exchange: \(key), \(path)",
                remedy: input.places.told(
                    "run it as that user: systemctl start gatehouse, or without a unit sudo -u with the user's name"),
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
            // Never exit code 2: systemd would take it for a wrong configuration, and would not restart the
            // service.
            throw CommandFailure("\(error)", remedy: "look at the log; systemd starts it again", exitCode: 1)
        }
    }

    /// Returns an observer with which a debug build ends before the kiosk breaks one of its rules. Returns
    /// nil in a release build.
    private static func oracle(_ configuration: Configuration) throws -> Gatekeeper.TurnObserver? {
        #if DEBUG
            return Oracle.asserting(try KioskSettings(configuration, softwareVersion: ProductVersion.text))
        #else
            return nil
        #endif
    }
}
