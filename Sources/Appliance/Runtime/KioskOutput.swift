package import Encoding
package import Kiosk

/// Something that shows or does what the kiosk decides: lamps and relay, a log, a terminal, a display.
///
/// Called on the radio's thread, in order; an implementation returns at once and leaves slow work to somebody else.
package protocol KioskOutput: Sendable {
    /// Shows a signal of `pattern`.
    func show(_ signal: Signal, of pattern: IndicatorPattern, at now: Instant)
    /// Energises or releases the gate relay.
    func setGate(open: Bool, at now: Instant)
    /// Shows the invitation URI; nil takes it down.
    func showInvitation(_ uri: String?, at now: Instant)
    /// Takes notice.
    func note(_ note: KioskNote, at now: Instant)
}

extension KioskOutput {
    /// Nothing to show.
    package func show(_ signal: Signal, of pattern: IndicatorPattern, at now: Instant) {}
    /// No relay here.
    package func setGate(open: Bool, at now: Instant) {}
    /// No display here.
    package func showInvitation(_ uri: String?, at now: Instant) {}
    /// Not interested.
    package func note(_ note: KioskNote, at now: Instant) {}
}
