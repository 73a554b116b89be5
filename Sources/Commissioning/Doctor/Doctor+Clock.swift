import Encoding
import Kiosk
import LinuxIO
import Reasons
import Settings

extension Doctor {
    /// The findings about how trusted the date is, now and after the next start.
    var clock: [Finding] {
        let clock = facts.clock
        let date = "\(clock.utc.rfc3339.prefix(16).replacing("T", with: " ")) UTC"
        if clock.utc < clock.made { return [Finding(.clock, .boxDate, date)] + timeServer + hardware }
        guard isDated else {
            let wanted = configuration.clock.minimum.rawValue
            let remedy =
                "Use a time server (timedatectl set-ntp true) or a battery-backed clock. Until then no visitor is "
                + "admitted, and upcoming expiries are not reported."
            return [
                Finding(
                    .clock, .clockUntrusted, "\(date), \(source); clock.minimum is \"\(wanted)\"", remedy: remedy)
            ] + timeServer + hardware
        }
        return [.good(.clock, "\(date), \(clock.isSynchronised ? source : "not synchronised")")] + timeServer + hardware
    }

    /// The finding that no authenticated time server is configured although `clock.authenticated` is true; empty if
    /// there is one. Only chrony reports authenticated servers.
    private var timeServer: [Finding] {
        configuration.clock.authenticated && facts.clock.authenticated.isEmpty
            ? [Finding(.clock, .boxTimeServer, "clock.authenticated is true")] : []
    }

    /// Whether the date is at least as trusted as `clock.minimum` requires, evaluated as at a start of the service now.
    /// The date counts at least as a saved date, because the service knows the date of the ledger's last entry.
    var isDated: Bool {
        guard facts.clock.utc >= facts.clock.made else { return false }
        return max(provenance, .saved) >= configuration.clock.minimum
    }

    private var provenance: WallTime.Provenance {
        let clock = facts.clock
        var judge = ClockGuard(newest: nil, skew: configuration.clock.skew, made: clock.made, at: .zero)
        _ = judge.handle(
            ClockGuard.Reading(
                utc: clock.utc, monotonic: .zero, isSynchronised: clock.isSynchronised, hardware: hardwareClock,
                isSaved: saved != nil))
        return judge.time.provenance
    }

    private var source: String {
        if facts.clock.isSynchronised {
            let names = facts.clock.authenticated.prefix(3).joined(separator: ", ")
            return "kept right by a time server, "
                + (names.isEmpty ? "none is authenticated" : "chrony has with authentication: \(names)")
        }
        return saved.map { "restored by \($0.keeper.rawValue) from the last shutdown, not the current time" }
            ?? "set by an unknown source"
    }

    /// The saved date that, with the uptime added to it, is the present date; nil if there is none, so that the present
    /// date has another source.
    private var saved: SavedDate? {
        let clock = facts.clock
        guard !clock.isSynchronised, hardwareClock != .agrees else { return nil }
        return clock.saved.first { $0.explains(clock.utc, uptime: clock.uptime) }
    }

    /// The state of the battery-backed clock from which the kernel sets its date at the start.
    private var hardwareClock: HardwareClock {
        let clock = facts.clock
        return clock.hardware.first(where: \.isUsed).map { used in
            HardwareClock(showing: used.seconds, at: clock.utc, uptime: clock.uptime, made: clock.made)
        } ?? .absent
    }

    private var hardware: [Finding] {
        let clock = facts.clock
        guard let first = clock.hardware.first else {
            let keeper = clock.saved.first?.keeper.rawValue
            return [
                Finding(
                    .rtc, .boxNoRTC,
                    keeper.map { "none; \($0) restores the date of the last shutdown, not the current time" } ?? "none")
            ]
        }
        guard let used = clock.hardware.first(where: \.isUsed) else {
            return [Finding(.rtc, .boxRTCUnused, first.name)]
        }
        if let battery = used.battery, battery < Self.leastMicrovolts {
            return [Finding(.rtc, .boxRTCBattery, "\(used.name) has \(battery / 1000) mV")]
        }
        let judged = hardwareClock
        let words = "\(used.name): \(judged.trouble ?? "")"
        switch judged {
        case .absent, .agrees: return [.good(.rtc, "\(used.name) agrees with it")]
        case .silent: return [Finding(.rtc, .boxRTCSilent, words)]
        case .powerless: return [Finding(.rtc, .boxRTCBattery, words)]
        case .differs: return [Finding(.rtc, .boxRTCDiffers, words)]
        }
    }

    /// The voltage in microvolts below which a 3 V lithium cell counts as empty.
    private static let leastMicrovolts = 2_000_000
}
