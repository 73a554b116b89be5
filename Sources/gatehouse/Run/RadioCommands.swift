import ArgumentParser
import Console
import Glibc
import LinuxIO
import Settings

/// Takes the adapter for the service. systemd starts this command when the service asks for its adapter.
struct OpenRadioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open-radio", abstract: "Takes the Bluetooth adapter and hands it to the service.",
        discussion: """
            systemd starts it when somebody connects to /run/gatehouse-radio.sock (gatehouse-radio.socket), with the listening \
            socket as its standard input. For the service's user it lifts a software block, puts the configured adapter down, \
            takes it and passes its descriptor on, so that the service itself needs no right. Nothing is read from whoever \
            asks; the configuration is read for each request. It ends when nobody has asked for a minute.

            Exit code: 0 when nobody asks any more, 2 when it cannot serve.
            """, shouldDisplay: false)
    @OptionGroup var input: ConfigurationInput
    @Option(help: ArgumentHelp("The only user who gets it.", valueName: "name"))
    var user = "gatehouse"

    func run() async throws {
        guard let user = Accounts.user(user) else { throw CommandFailure("there is no user \(user)") }
        do throws(TransportError) {
            try RadioOpener.serve(STDIN_FILENO, user: user, device: configuredAdapter) { failure in
                guard let failure else { return Terminal.line("the adapter is handed over") }
                Terminal.error(Terminal.printable("\(failure)"), remedy: failure.remedy)
            }
        } catch {
            throw CommandFailure("\(error)", remedy: error.remedy)
        }
    }

    /// Returns the adapter that the configuration names at this moment. A problem of the configuration is
    /// reported, and the command goes on: the configuration may be correct at the next request.
    private func configuredAdapter() -> String? {
        do {
            let radio = try input.load(.units).radio
            if radio.transport == .userChannel { return radio.device }
            Terminal.error("the configuration names no adapter")
        } catch {
            Terminal.error((error as? CommandFailure)?.message ?? "\(error)")
        }
        return nil
    }
}

/// Resets the adapter. systemd starts this command when the service asks for a reset.
struct ResetRadioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-radio", abstract: "Resets a Bluetooth adapter that hangs.",
        discussion: """
            For gatehouse-radio-reset.service, which runs it as root when the service asks. The port of a USB \
            adapter is switched off and on, or before Linux 6.0 the adapter shut out and let in again; a chip on a serial \
            line is let go and taken again by its driver. Others have no reset.

            Exit code: 0 when something was reset, 1 when nothing could be, 2 when the configuration cannot be used.
            """, shouldDisplay: false)
    @OptionGroup var input: ConfigurationInput

    func run() async throws {
        let radio = try input.load(.units).radio
        guard radio.transport == .userChannel else { throw CommandFailure("the configuration names no adapter") }
        let done: [String]
        do throws(SystemError) {
            done = try AdapterReset().run(radio.device)
        } catch {
            throw CommandFailure("\(error)", exitCode: 1)
        }
        guard !done.isEmpty else { throw CommandFailure("there is nothing to reset at \(radio.device)", exitCode: 1) }
        for place in done { Terminal.line(Terminal.printable("reset: \(place)")) }
    }
}
