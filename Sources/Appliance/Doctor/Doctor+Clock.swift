import Credentials
import Encoding

extension Doctor {
    /// What the date is worth, now and after the next start.
    var clock: [Finding] {
        let clock = facts.clock
        let date = "\(clock.utc.rfc3339.prefix(16).replacing("T", with: " ")) UTC"
        if clock.utc < clock.made { return [Finding(.clock, .boxDate, date)] + hardware }
        let isTrusted =
            switch configuration.clock.minimum {
            case .unset, .saved: true
            case .rtc: clock.isSynchronised || clock.hardware.contains(where: \.isUsed)
            case .synchronised: clock.isSynchronised
            }
        guard isTrusted else {
            let wanted = configuration.clock.minimum.rawValue
            return [
                Finding(
                    .clock, .clockUntrusted, "\(date), set by nobody who is known; clock.minimum is \"\(wanted)\"",
                    remedy:
                        "Have a time server (timedatectl set-ntp true) or a battery-backed clock. Until then nobody is let in."
                )
            ] + hardware
        }
        let source = clock.isSynchronised ? "kept right by a time server" : "not synchronised"
        return [.good(.clock, "\(date), \(source)")] + hardware
    }

    private var hardware: [Finding] {
        let clock = facts.clock
        guard let first = clock.hardware.first else {
            let saved =
                clock.isSaved ? "fake-hwclock brings back the date of the last stop, which is not the time" : "none"
            return [Finding(.rtc, .boxNoRTC, saved)]
        }
        guard let used = clock.hardware.first(where: \.isUsed) else {
            return [Finding(.rtc, .boxRTCUnused, first.name)]
        }
        if let battery = used.battery, battery < Self.leastMicrovolts {
            return [Finding(.rtc, .boxRTCBattery, "\(used.name) has \(battery / 1000) mV")]
        }
        guard let seconds = used.seconds else { return [.good(.rtc, used.name)] }
        // One that lost its power begins at its epoch.
        if seconds < clock.made.seconds {
            return [
                Finding(.rtc, .boxRTCBattery, "\(used.name) shows \(Timestamp(seconds: seconds).rfc3339.prefix(10))")
            ]
        }
        let difference = seconds - clock.utc.seconds
        if abs(difference) > Self.mostSeconds {
            return [
                Finding(
                    .rtc, .boxRTCDiffers, "\(used.name) is \(abs(difference)) s \(difference < 0 ? "behind" : "ahead")")
            ]
        }
        return [.good(.rtc, "\(used.name) agrees with it")]
    }

    /// A lithium cell of 3 V is empty below that.
    private static let leastMicrovolts = 2_000_000
    /// The kernel sets such a clock each 11 minutes while it is synchronised; a good one drifts by a second or two a week.
    private static let mostSeconds: Int64 = 60
}
