import ArgumentParser
import Console
import Glibc
import LinuxIO
import Settings

/// Opens the Bluetooth adapter and passes its descriptor to the service. systemd starts this command when the service
/// connects to the opener's socket.
struct OpenRadioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open-radio", abstract: "Opens the Bluetooth adapter and passes it to the service.",
        discussion: """
            systemd starts it for a connection to /run/gatehouse-radio.sock (gatehouse-radio.socket), with the \
            listening socket as its standard input. For the service's user it lifts a software block, brings the \
            configured adapter down, opens it and passes its descriptor, so the service needs no capability. It reads \
            nothing from the client; it reads the configuration for each request. It ends after a minute without a \
            request.

            Exit code: 0 after a minute without a request, 2 when it cannot serve.
            """, shouldDisplay: false)
    @OptionGroup var input: ConfigurationInput
    @Option(help: ArgumentHelp("The only user who may get the adapter.", valueName: "name"))
    var user = "gatehouse"

    func run() async throws {
        guard let user = Accounts.user(user) else { throw CommandFailure("there is no user \(user)") }
        do throws(TransportError) {
            try RadioOpener.serve(STDIN_FILENO, user: user, device: configuredAdapter) { failure in
                guard let failure else { return Terminal.line("the adapter is passed") }
                Terminal.error(Terminal.printable("\(failure)"), remedy: failure.remedy)
            }
        } catch {
            throw CommandFailure("\(error)", remedy: error.remedy)
        }
    }

    /// Returns the adapter that the configuration names at this moment. If the configuration has a mistake or names no
    /// adapter, prints that and returns nil. The command continues, because the configuration may be correct at the
    /// next request.
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

/// Resets the Bluetooth adapter. systemd starts this command when the service requests a reset.
struct ResetRadioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-radio", abstract: "Resets a Bluetooth adapter that hangs.",
        discussion: """
            For gatehouse-radio-reset.service, which runs it as root on request of the service. The port of a USB \
            adapter is switched off and on (before Linux 6.0 the adapter is deauthorised and authorised again); the \
            driver of a chip on a serial line is unbound and bound again. Other adapters cannot be reset.

            Exit code: 0 when the adapter was reset, 1 when it could not be reset, 2 when the configuration cannot be \
            used.
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
        guard !done.isEmpty else { throw CommandFailure("\(radio.device) cannot be reset", exitCode: 1) }
        for place in done { Terminal.line(Terminal.printable("reset: \(place)")) }
    }
}
