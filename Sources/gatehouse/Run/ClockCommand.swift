import ArgumentParser
import Clocks
import Console
import Encoding
import GateService
import Kiosk
import LinuxIO
import Reasons
import Settings

/// Shows how far the gate trusts its date, and stores an operator's confirmation that the date is right.
struct ClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Shows how trustworthy the gate's date is, and confirms it.",
        discussion: "May be used while the service runs.", subcommands: [Show.self, Accept.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the clock, its trustworthiness, the newest record, and problems.",
            discussion: """
                Judged as the service would judge it at a start now. Only the running service detects steps of the \
                clock: see its log.
                """)
        @OptionGroup var configuration: ConfigurationInput
        @Flag(help: "One JSON object, for machines.")
        var json = false

        func run() async throws {
            let sight = try await ClockProbe.take(configuration.load())
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

        private static func json(_ sight: ClockProbe) -> JSON {
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

        private static func source(_ look: ClockGuard.Reading) -> String {
            look.isSynchronised
                ? "kept right by a time server"
                : look.hardware == .agrees
                    ? "set by a battery-backed clock"
                    : look.isSaved
                        ? "restored by the system from the last shutdown, not the current time"
                        : "set by an unknown source"
        }

        private static func words(_ provenance: WallTime.Provenance) -> String {
            switch provenance {
            case .unset: "not trusted (unset)"
            case .saved: "continued from an earlier date (saved)"
            case .rtc: "trusted as a battery-backed clock (rtc)"
            case .synchronised, .given: "trusted as synchronised (synchronised)"
            }
        }
    }

    struct Accept: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Confirms that this machine's clock is right, whatever the ledger says.",
            discussion: """
                Use it after a wrong clock has been corrected, in either direction. Check the date first: credentials \
                are judged by it. A running service applies the confirmation within seconds. A stopped service \
                applies it at a start within a day, unless the machine was rebooted or the clock was set in the \
                meantime: then its log says so (date.refused), and the date has to be accepted again.
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
            let boots = ClockProbe.boots
            guard !boots.isEmpty else {
                throw CommandFailure(
                    "the id of this boot cannot be read",
                    remedy: "start the service first: it creates the id")
            }
            do throws(SystemError) {
                try acceptance.leave(ClockAcceptance.Confirmation(DatedInstant(utc: date, at: now), boots: boots))
            } catch {
                throw CommandFailure("\(error)", remedy: "check the disk and the permissions")
            }
            Terminal.line("accepted: \(Show.text(date)); a running service applies it within seconds")
            Terminal.line("a stopped service applies it at a start within a day, unless the machine is rebooted")
            Terminal.line("or the clock is set before; then its log says so (date.refused)")
        }
    }
}
