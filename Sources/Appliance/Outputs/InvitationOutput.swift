import Credentials
package import Encoding
package import Kiosk
package import LinuxIO
import Synchronization

/// The invitation as a QR code, drawn beside the radio's thread: a slow terminal or disk must not hold up a packet.
package final class InvitationOutput: KioskOutput {
    private let display: DisplayOutput
    private let caption: String
    private let latest = Mutex<(number: Int, uri: String?)>((0, nil))
    private let report: HealthReporter

    /// Shows invitations on `display` with `caption` below. `report` hears of a display that cannot be written.
    package init(_ display: DisplayOutput, caption: String, report: @escaping HealthReporter) {
        (self.display, self.caption, self.report) = (display, caption, report)
    }

    /// Draws the invitation, or takes it down, soon after.
    package func showInvitation(_ uri: String?, at now: Instant) {
        let number = latest.withLock { latest in
            latest = (latest.number + 1, uri)
            return latest.number
        }
        Task.detached { [self] in draw(number) }
    }

    /// Draws the newest invitation; an older one that is still waiting has been overtaken.
    private func draw(_ number: Int) {
        let current = latest.withLock { $0.number == number ? $0 : nil }
        guard let current else { return }
        guard let uri = current.uri else { return display.clear() }
        do {
            try display.show(uri, caption: caption)
            report(.over(.displayFailed))
        } catch {
            report(.present(.displayFailed, detail: "\(error)"))
        }
    }
}
