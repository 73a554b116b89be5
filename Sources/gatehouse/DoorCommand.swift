import Administration
import ArgumentParser
import Encoding
import Kiosk
import Observation

/// The door of the running service: its state, lock-down and free passage.
struct DoorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "door", abstract: "Shows how the door stands, locks the gate down, or lets everybody through.",
        discussion: """
            Asks the service over its control socket. Only root and the service's own user may give orders; they hold over \
            restarts.

            Exit code: 0 done, 2 the service is not running, does not answer or refuses.
            """, subcommands: [Status.self, Lock.self, Free.self, Release.self])

    /// The arguments that all commands for the door take.
    struct Input: ParsableArguments {
        @OptionGroup var input: ConfigurationInput
        @Option(
            help: ArgumentHelp(
                "The control socket itself, in place of the one that the configuration names.", valueName: "path"))
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
            commandName: "status", abstract: "Shows mode, inputs and what has happened since the start.")
        @OptionGroup var door: Input

        func run() async throws { try door.ask(.doorStatus) }
    }

    struct Lock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "lock", abstract: "Locks the gate down: nobody is let in until gatehouse door release.",
            discussion: """
                A pulse that runs ends. Visitors are verified and recorded, and rejected as gate.locked-down. Against everything \
                else that would open: schedule, free passage, fire panel. The way out must not depend on this box.
                """)
        @OptionGroup var door: Input

        func run() async throws { try door.ask(.doorLock) }
    }

    struct Free: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "free", abstract: "Lets everybody through for a while.",
            discussion:
                "The gate needs an output for that: door.freeLine. Visitors are verified and recorded all the same.")
        @OptionGroup var door: Input
        @Option(
            name: .customLong("for"),
            help: ArgumentHelp("For how long, 1s to 24h; 1h unless said.", valueName: "duration"))
        var time: String?

        func run() async throws {
            var members: [JSONObject.Member] = []
            if let time {
                guard let duration = DurationText.parse(time), duration >= .seconds(1) else {
                    throw CommandFailure("\(time) is no duration", remedy: "write one such as 15min or 2h")
                }
                members = [.init("seconds", .int(Int(clamping: duration.components.seconds)))]
            }
            try door.ask(.doorFree, members)
        }
    }

    struct Release: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "release",
            abstract: "Ends a lock-down or free passage that was ordered: the schedule holds again.")
        @OptionGroup var door: Input

        func run() async throws { try door.ask(.doorRelease) }
    }
}
