import ArgumentParser
import Console
import GateService
import LinuxIO

/// Releases the GPIO lines. systemd runs this command after the service, whatever ended it.
struct ReleaseLinesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release-lines", abstract: "Takes all GPIO lines inactive and gives them back.",
        discussion: """
            For after the service, whatever ended it: some kernels keep driving a line whose program is gone. systemd runs it \
            by itself (ExecStopPost in gatehouse.service).

            Exit code: 0 when no line is driven, also without a chip; 1 when another program holds them or they cannot be \
            set; 2 when the configuration cannot be used.
            """, shouldDisplay: false)
    @OptionGroup var input: ConfigurationInput

    func run() async throws {
        guard let request = LineRequest(try input.load()) else {
            return Terminal.line("no GPIO lines are configured")
        }
        do throws(GPIOError) {
            try request.release()
            Terminal.line("the lines of \(request.chip) are inactive and free")
        } catch .noChip {
            // No line can be driven through a chip that does not exist.
            Terminal.line(Terminal.printable("there is no GPIO chip \(request.chip): no line is driven"))
        } catch {
            throw CommandFailure("\(error)", remedy: error.remedy, exitCode: 1)
        }
    }
}
