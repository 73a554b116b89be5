package import Encoding
import Kiosk
package import LinuxIO

/// The invitation as a QR code.
package struct InvitationOutput: KioskListener {
    private let display: DisplayOutput
    private let caption: String
    private let failed: @Sendable (SystemError) -> Void

    /// Shows invitations on `display` with `caption` below; `failed` is told why one could not be shown.
    package init(_ display: DisplayOutput, caption: String, failed: @escaping @Sendable (SystemError) -> Void) {
        (self.display, self.caption, self.failed) = (display, caption, failed)
    }

    /// Draws the invitation, or takes it down.
    package func showInvitation(_ uri: String?, at now: Instant) {
        guard let uri else { return display.clear() }
        do throws(SystemError) { try display.show(uri, caption: caption) } catch { failed(error) }
    }
}
