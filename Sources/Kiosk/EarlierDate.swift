import Encoding

/// The date that was confirmed before the machine was started, until one of this start is.
///
/// Only a clock that ran meanwhile, or a time server, knows how long the machine was off. A false time server may say any date then, so that
/// the first one opens no hours (``WallTime/lastConfirmed``) before it has held for some time. The date of a battery-backed clock, of an
/// authenticated time server, or of an operator counts at once.
struct EarlierDate {
    private let (skew, settle): (Duration, Duration)
    /// The date, carried on; nil: a date of this start is confirmed, or there never was one.
    private(set) var date: DatedInstant?
    /// Whether a time server has set the clock in this start of the machine while the battery-backed one did not show the same date. The
    /// system then sets that one as well, and its word is the server's.
    private(set) var isServed: Bool
    /// Since when the clock has shown a date that may come to be confirmed.
    private var candidate: DatedInstant?

    init(_ date: DatedInstant?, skew: Duration, settle: Duration, isServed: Bool) {
        (self.date, self.skew, self.settle, self.isServed) = (date, skew, settle, isServed)
    }

    /// Takes the date of a look; returns the last confirmed one where that is still to be asked.
    ///
    /// - Parameters:
    ///   - time: What is believed.
    ///   - look: The look.
    ///   - isAuthenticated: Whether the time server is known to be the operator's.
    mutating func handle(_ time: WallTime, _ look: ClockGuard.Look, isAuthenticated: Bool) -> Timestamp? {
        guard let date else { return nil }
        if look.isSynchronised, look.hardware != .agrees { isServed = true }
        let (now, shown) = (look.monotonic, DatedInstant(utc: time.utc, at: look.monotonic))
        let doubt = date.agrees(with: shown, within: skew) ? nil : date.carried(to: now)
        // A saved date confirms nothing. As long as no time server has moved it, it is the last one that was known, and opens what the
        // operator lets it open (`clock.minimum`).
        guard time.provenance >= .rtc else {
            candidate = nil
            return isServed ? doubt : nil
        }
        let isProven =
            look.hardware == .agrees && !isServed || time.provenance == .synchronised && isAuthenticated
        let since = candidate.flatMap { $0.agrees(with: shown, within: skew) ? $0 : nil } ?? shown
        candidate = since
        // No clock that went on runs back.
        let isBack = time.utc < date.carried(to: now).advanced(by: .zero - skew)
        if isProven && !isBack || since.at.duration(to: now) >= settle {
            confirm()
            return nil
        }
        return doubt
    }

    /// A date of this start is confirmed.
    mutating func confirm() { (date, candidate) = (nil, nil) }
}
