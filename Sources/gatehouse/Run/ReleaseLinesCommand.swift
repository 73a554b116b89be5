import ArgumentParser
import Console
import GateService
import LinuxIO

/// Sets the GPIO lines inactive and releases them. systemd runs this command after each end of the service.
struct ReleaseLinesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release-lines", abstract: "Sets all GPIO lines inactive and releases them.",
        discussion: """
            It runs after the service has ended, for any reason: some kernels continue to drive a line after its \
            program has ended. systemd runs it automatically (ExecStopPost in gatehouse.service).

            Exit code: 0 when no line is driven, also without a chip; 1 when another program uses the lines or they \
            cannot be set; 2 when the configuration cannot be used.
            """, shouldDisplay: false)
    @OptionGroup var input: ConfigurationInput

    func run() async throws {
        guard let request = LineRequest(try input.load()) else {
            return Terminal.line("no GPIO lines are configured")
        }
        do throws(GPIOError) {
            try request.release()
            Terminal.line("the lines of \(request.chip) are inactive and released")
        } catch .noChip {
            // Report success: no line can be driven through a chip that does not exist.
            Terminal.line(Terminal.printable("there is no GPIO chip \(request.chip): no line is driven"))
        } catch {
            throw CommandFailure("\(error)", remedy: error.remedy, exitCode: 1)
        }
    }
}
