import ArgumentParser
import Clocks
import Credentials
import Encoding
import GateService
import Kiosk
import LinuxIO
import Settings

/// Shows how trusted the date at the gate is, and takes an operator's confirmation of it.
struct ClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Shows what the date at the gate is worth, and accepts it.",
        discussion: "May be used beside the running service.", subcommands: [Show.self, Accept.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the clock, what it is worth, the newest record, and what is wrong.",
            discussion: """
                Judged as the service would at a start now. Steps of the clock only the running service can see: they are in \
                its log.
                """)
        @OptionGroup var configuration: ConfigurationInput
        @Flag(help: "One JSON object, for machines.")
        var json = false

        func run() async throws {
            let sight = try await ClockSight.take(configuration.load())
            if json { return Terminal.json(Self.json(sight)) }
            Terminal.line("clock          \(Self.text(sight.look.utc)), \(Self.source(sight.look))")
            Terminal.line("newest record  \(Self.text(sight.newestRecord))")
            Terminal.line("not before     \(Self.text(sight.bound))\(sight.pending == nil ? "" : ", accepted")")
            Terminal.line("taken for      \(Self.text(sight.time.utc)), \(Self.words(sight.time.provenance))")
            if let other = sight.time.alternative {
                Terminal.line("or             \(Self.text(other)), the date that was confirmed")
            }
            if let last = sight.time.lastConfirmed {
                Terminal.line("hours since    \(Self.text(last)), confirmed before the start")
            }
            if let refusal = sight.refusal { Terminal.line("acceptance     does not count: \(refusal.rawValue)") }
            for fault in sight.faults {
                let detail = fault.detail.map { ": " + $0 } ?? ""
                Terminal.line(Terminal.styled(fault.code.text + detail, .amber))
                for line in Terminal.folded("  → " + fault.code.remedy, hanging: 4) { Terminal.line(line) }
            }
        }

        private static func json(_ sight: ClockSight) -> JSON {
            func date(_ date: Timestamp?) -> JSON { date.map { .text($0.rfc3339) } ?? .null }
            let faults = sight.faults.map { fault -> JSON in
                [
                    "code": .text(fault.code.text), "detail": fault.detail.map { .text($0) } ?? .null,
                    "remedy": .text(fault.code.remedy),
                ]
            }
            return [
                "clock": date(sight.look.utc), "synchronised": .bool(sight.look.isSynchronised),
                "hardwareClock": .bool(sight.look.hardware == .agrees), "savedDate": .bool(sight.look.isSaved),
                "newestRecord": date(sight.newestRecord),
                "notBefore": date(sight.bound), "accepted": date(sight.pending), "time": date(sight.time.utc),
                "refused": sight.refusal.map { .text($0.rawValue) } ?? .null,
                "alternative": date(sight.time.alternative), "lastConfirmed": date(sight.time.lastConfirmed),
                "provenance": .text(sight.time.provenance.rawValue), "faults": .array(faults),
            ]
        }

        fileprivate static func text(_ date: Timestamp?) -> String {
            date.map { $0.rfc3339.prefix(19).replacing("T", with: " ") + " UTC" } ?? "none"
        }

        private static func source(_ look: ClockGuard.Look) -> String {
            look.isSynchronised
                ? "kept right by a time server"
                : look.hardware == .agrees
                    ? "set by a battery-backed clock"
                    : look.isSaved
                        ? "brought back from the last stop by the system, which is not the time"
                        : "set by nobody who is known"
        }

        private static func words(_ provenance: WallTime.Provenance) -> String {
            switch provenance {
            case .unset: "not to be believed (unset)"
            case .saved: "carried on from what is known (saved)"
            case .rtc: "believed as a battery-backed clock (rtc)"
            case .synchronised, .given: "believed as synchronised (synchronised)"
            }
        }
    }

    struct Accept: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says that this machine's clock is right, whatever the ledger says.",
            discussion: """
                After a clock that was wrong, in whichever direction, was set right. Look at the date first: credentials are \
                judged by it. A running service takes it over within seconds. One that is off takes it over when it starts \
                within a day, unless the machine was started anew or the clock was set since: then it says so in its log \
                (date.refused), and the date has to be accepted again.
                """)
        @OptionGroup var configuration: ConfigurationInput

        func run() async throws {
            let database = try configuration.load().ledger.path
            let acceptance = ClockAcceptance(database: database)
            let (date, now, _) = Machine.clock.look()
            guard date >= ProductVersion.made else {
                throw CommandFailure(
                    "the date is \(Show.text(date)), before this program was made: it is wrong",
                    remedy: "set it first: timedatectl set-time, or a time server")
            }
            let boots = ClockSight.boots
            guard !boots.isEmpty else {
                throw CommandFailure(
                    "it cannot be told which start of the machine this is",
                    remedy: "start the service first: it names it")
            }
            do throws(SystemError) {
                try acceptance.leave(ClockAcceptance.Word(DatedInstant(utc: date, at: now), boots: boots))
            } catch {
                throw CommandFailure("\(error)", remedy: "check the disk and who may write there")
            }
            Terminal.line("accepted: \(Show.text(date)); a running service takes it over within seconds")
            Terminal.line("one that is off: at a start within a day, if neither the machine is started anew")
            Terminal.line("nor the clock set before that; else it drops it, and says so (date.refused)")
        }
    }
}
