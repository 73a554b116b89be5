import Administration
import ArgumentParser
import Console
import Encoding
import Kiosk
import Observation

/// The command `gatehouse door`: shows the state of the running service's door, and orders lock-down or free passage.
struct DoorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "door", abstract: "Shows the state of the door, locks the gate down, or gives free passage.",
        discussion: """
            Asks the service over its control socket. Only root and the service's user may give orders; orders \
            survive restarts.

            Exit code: 0 done, 2 the service is not running, does not respond or refuses.
            """, subcommands: [Status.self, Lock.self, Free.self, Release.self])

    /// The arguments of all `door` commands.
    struct Input: ParsableArguments {
        @OptionGroup var input: ConfigurationInput
        @Option(
            help: ArgumentHelp(
                "The control socket, in place of the one in the configuration.", valueName: "path"))
        var socket: String?
        @Flag(help: "A JSON object, for machines.")
        var json = false

        func ask(_ request: ControlRequest, _ members: [JSONObject.Member] = []) throws {
            let answer = try ControlQuestion(socket: socket, input: input).ask(request, members)
            if json { return Terminal.json(answer) }
            let door = StatusReport.Door(answer)
            let words = StatusListing.door(door).compactMap(\.self)
            Terminal.line(door.mode == .normal ? "normal service" : words.first ?? "unknown")
            for line in door.mode == .normal ? words[...] : words.dropFirst() { Terminal.line("  " + line) }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Shows mode, inputs and counters since the start.")
        @OptionGroup var door: Input

        func run() async throws { try door.ask(.doorStatus) }
    }

    struct Lock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "lock", abstract: "Locks the gate down: no visitor is admitted until gatehouse door release.",
            discussion: """
                A running pulse ends. Visitors are verified, recorded and rejected with gate.locked-down. A lock-down \
                overrides everything else that would open: schedule, free passage, fire panel. The way out must not \
                depend on this box.
                """)
        @OptionGroup var door: Input

        func run() async throws { try door.ask(.doorLock) }
    }

    struct Free: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "free", abstract: "Gives free passage for a limited time.",
            discussion:
                "The gate needs an output for it: door.freeLine. Visitors are still verified and recorded.")
        @OptionGroup var door: Input
        @Option(
            name: .customLong("for"),
            help: ArgumentHelp("The duration, 1s to 24h; default 1h.", valueName: "duration"))
        var time: String?

        func run() async throws {
            var members: [JSONObject.Member] = []
            if let time {
                guard let duration = DurationText.parse(time), duration >= .seconds(1) else {
                    throw CommandFailure("\(time) is not a duration", remedy: "write one such as 15min or 2h")
                }
                members = [.init("seconds", .int(Int(clamping: duration.components.seconds)))]
            }
            try door.ask(.doorFree, members)
        }
    }

    struct Release: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "release",
            abstract: "Ends an ordered lock-down or free passage: the schedule applies again.")
        @OptionGroup var door: Input

        func run() async throws { try door.ask(.doorRelease) }
    }
}
