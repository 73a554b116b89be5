import Administration
import ArgumentParser
import Console
import Encoding
import LinuxIO
import Observation
import Settings

/// The command `gatehouse status`: prints the status of the running service.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows the state of the running service, its faults and their remedies.",
        discussion: """
            Asks the service over its control socket. Exit code: 0 everything is in order, 1 a fault is in force, 2 \
            the service is not running or does not respond.
            """)
    @OptionGroup var input: ConfigurationInput
    @Option(
        help: ArgumentHelp(
            "The control socket, in place of the one in the configuration.", valueName: "path"))
    var socket: String?
    @Flag(help: "A JSON object, for machines.")
    var json = false

    func run() async throws {
        let answer = try ControlQuestion(socket: socket, input: input).ask(.status)
        let status = StatusReport(answer)
        if json {
            // Print the service's own JSON. It may have members that this version does not know.
            Terminal.json(answer)
        } else {
            for line in StatusListing.lines(status, of: input.places) { Terminal.line(line) }
        }
        if status.state != .fine { throw ExitCode(1) }
    }
}

/// Sends requests to the running service over its control socket.
struct ControlQuestion {
    /// The path of the control socket; nil: the path in the configuration.
    let socket: String?
    let input: ConfigurationInput

    /// How long this command waits for the service's answer.
    private static let limit: Duration = .seconds(2)

    /// Returns the service's answer to a request. Throws a ``CommandFailure`` with a remedy if there is no answer.
    func ask(_ request: ControlRequest, _ members: [JSONObject.Member] = []) throws -> JSON {
        guard let path = try place() else {
            throw CommandFailure(
                "the configuration has no control socket", remedy: "set control.path to a path and restart the service")
        }
        guard let answer = try answer(to: request, members) else { throw failure(.notRunning, path) }
        return answer
    }

    /// Returns the service's answer to a request; nil if the service is not running or the configuration has no control
    /// socket.
    func answer(to request: ControlRequest, _ members: [JSONObject.Member] = []) throws -> JSON? {
        guard let path = try place() else { return nil }
        // Act as the owner of the socket's folder, because this owner can replace the socket by a link to any other
        // path.
        let role = OwnerRole(of: path)
        defer { role?.end() }
        let line: [UInt8]
        do throws(ControlClient.Failure) {
            line = try ControlClient.ask(path, request.line(members), within: Self.limit)
        } catch {
            if error == .notRunning { return nil }
            throw failure(error, path)
        }
        return try Self.content(line)
    }

    /// Returns the answer in a line of the control socket. Throws the error that the line contains instead.
    static func content(_ line: [UInt8]) throws(CommandFailure) -> JSON {
        let reply = try? JSON.parse(line)
        if let answer = reply?["answer"] { return answer }
        throw CommandFailure(
            Terminal.printable(reply?["error"]?.string?.string ?? "the service's answer is unknown"),
            remedy: reply?["remedy"]?.string.map { Terminal.printable($0.string) })
    }

    /// Returns the path of the control socket; nil if the configuration has none. A user who may not read the
    /// configuration gets the standard path.
    private func place() throws -> String? {
        if let socket { return socket }
        do {
            return try input.load(.roots).control.path
        } catch {
            guard input.isStandard else { throw error }
            return StandardFolders.inForce.place(ControlSection.standardPath)
        }
    }

    private func failure(_ failure: ControlClient.Failure, _ path: String) -> CommandFailure {
        switch failure {
        // The unit requires the configuration (ConditionPathExists=): without a configuration, `systemctl start` has no
        // effect.
        case .notRunning where socket == nil && FileObstacle(input.path) == .absent:
            CommandFailure(
                "the service is not running: there is no \(input.path)",
                remedy: SetupPlaces.remedy(forAbsent: input.path))
        case .notRunning:
            CommandFailure(
                "the service is not running: no process listens at \(path)",
                remedy: told("start it: systemctl start gatehouse; why it ended: journalctl -u gatehouse -n 50"))
        case .forbidden:
            CommandFailure(
                "you are not permitted to ask the service at \(path)",
                remedy: "use sudo, or join the group in control.group")
        case .silent:
            CommandFailure(
                "the service does not respond at \(path)",
                remedy: told(
                    "see journalctl -u gatehouse; its watchdog restarts it, or run: systemctl restart gatehouse"))
        case .system(let code):
            CommandFailure("cannot ask at \(path): \(SystemError("asking", code: code))", remedy: "check the path")
        }
    }

    /// Replaces the names in an instruction by the names of this gate's unit and files. If the user has named a socket,
    /// which may belong to any gate, returns the instruction unchanged.
    private func told(_ words: String) -> String { socket == nil ? input.places.told(words) : words }
}
