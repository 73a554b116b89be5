import Encoding

/// The date that was confirmed before the machine was started. It is used until a date of this start is confirmed.
///
/// Only a clock that ran in the meantime, or a time server, can show how long the machine was off. A false time server
/// can send any date. Therefore rules with hours admit no visitor at the first date (``WallTime/lastConfirmed``)
/// before it has been stable for some time. The date of a battery-backed clock, of an authenticated time server, or of
/// an operator counts at once. A battery-backed clock that may hold an unconfirmed date of a time server
/// (``ClockMemory/Suspicion``) proves nothing, over any number of starts, until it shows a confirmed date again.
struct EarlierDate {
    private let (skew, settle): (Duration, Duration)
    /// The last date that was confirmed before the machine was started; nil if a date of this start is confirmed, or
    /// if no date was ever known.
    private(set) var date: DatedInstant?
    /// Which clocks may hold a time server's date, from this start of the machine or an earlier one.
    private(set) var suspicion: ClockMemory.Suspicion
    /// The clocks that may have been set to an unconfirmed date of a time server, in this start of the machine or an
    /// earlier one.
    private var candidate: DatedInstant?

    init(_ date: DatedInstant?, skew: Duration, settle: Duration, suspicion: ClockMemory.Suspicion) {
        (self.date, self.skew, self.settle, self.suspicion) = (date, skew, settle, suspicion)
    }

    /// Handles the date of a reading. Returns the last confirmed date as long as rules with hours must also be
    /// satisfied at that date; otherwise nil.
    ///
    /// - Parameters:
    ///   - time: The believed date.
    ///   - look: The reading of the clocks.
    ///   - isAuthenticated: Whether the time server is known to be the operator's.
    ///   - isCalm: Whether the clock has not been set for some time.
    ///   - isRenewed: Whether this reading has confirmed the date of this start again.
    mutating func handle(
        _ time: WallTime, _ look: ClockGuard.Reading, isAuthenticated: Bool, isCalm: Bool, isRenewed: Bool
    ) -> Timestamp? {
        suspect(time, look, isCalm: isCalm, isRenewed: isRenewed)
        guard let date else { return nil }
        let (now, shown) = (look.monotonic, DatedInstant(utc: time.utc, at: look.monotonic))
        let doubt = date.agrees(with: shown, within: skew) ? nil : date.carried(to: now)
        // A saved date confirms nothing. As long as no time server has moved it, it is the last known date, and rules
        // with hours use it if the operator permits that (`clock.minimum`).
        guard time.provenance >= .rtc else {
            candidate = nil
            return suspicion == .all ? doubt : nil
        }
        let isKept = isNear(look.hardware) && suspicion == .nothing
        let isProven = isKept || time.provenance == .synchronised && isAuthenticated
        let since = candidate.flatMap { $0.agrees(with: shown, within: skew) ? $0 : nil } ?? shown
        candidate = since
        // A clock that kept running cannot go back: an earlier date is not proven.
        let isBack = time.utc < date.carried(to: now).advanced(by: .zero - skew)
        if isProven && !isBack || since.at.duration(to: now) >= settle {
            confirm()
            return nil
        }
        return doubt
    }

    /// Notes that a date of this start is confirmed.
    mutating func confirm() { (date, candidate, suspicion) = (nil, nil, .nothing) }

    /// Updates ``suspicion``: whether the battery-backed clock and the saved date may contain the date of a time
    /// server that nothing has confirmed. Both survive a restart of the machine. The kernel copies the date of a time
    /// server to the battery-backed clock even before the system reports that its clock is synchronised.
    private mutating func suspect(_ time: WallTime, _ look: ClockGuard.Reading, isCalm: Bool, isRenewed: Bool) {
        let isMoved = time.alternative != nil || time.utc.duration(to: look.utc) > skew
        let isServed = date != nil && look.isSynchronised && (suspicion != .nothing || !isNear(look.hardware))
        if isMoved || isServed {
            suspicion = .all
        } else if isOff(look.hardware) {
            if suspicion == .nothing { suspicion = .battery }
        } else if date == nil, isCalm, look.hardware == .agrees || look.hardware == .absent && isRenewed {
            suspicion = .nothing
        }
    }

    /// Returns whether the battery-backed clock shows the system's date, within the skew.
    private func isNear(_ hardware: HardwareClock) -> Bool {
        if case .differs(let seconds) = hardware { return abs(.seconds(seconds)) <= skew }
        return hardware == .agrees
    }

    /// Returns whether the battery-backed clock shows a date that differs from the system's.
    private func isOff(_ hardware: HardwareClock) -> Bool {
        switch hardware {
        case .absent, .silent, .agrees: false
        case .powerless: true
        case .differs: !isNear(hardware)
        }
    }
}
