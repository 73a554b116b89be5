import Credentials
package import Encoding
package import Kiosk
package import LinuxIO

/// The invitation as a QR code.
package struct InvitationOutput: KioskListener {
    private let display: DisplayOutput
    private let caption: String
    private let report: HealthReporter

    /// Shows invitations on `display` with `caption` below. `report` hears of a display that cannot be written.
    package init(_ display: DisplayOutput, caption: String, report: @escaping HealthReporter) {
        (self.display, self.caption, self.report) = (display, caption, report)
    }

    /// Draws the invitation, or takes it down.
    package func showInvitation(_ uri: String?, at now: Instant) {
        guard let uri else { return display.clear() }
        do throws(SystemError) {
            try display.show(uri, caption: caption)
            report(.over(.displayFailed))
        } catch {
            report(.present(.displayFailed, detail: "\(error)"))
        }
    }
}
