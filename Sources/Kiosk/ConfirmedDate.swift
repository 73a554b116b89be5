import Encoding

/// The date that was confirmed since the machine was started, and whether the clock still shows it.
///
/// Each later setting of the clock, also by a time server, moves it against the monotonic clock. For some time after
/// that, either date may be the right one, and the gate admits only credentials that are valid at both dates
/// (``WallTime/alternative``). The clock's date is confirmed once it has held for that time, or when an operator
/// accepts it. A clock that returns to the confirmed date ends the doubt.
struct ConfirmedDate {
    /// How long a confirmed date is carried forward before the clock's own date replaces it. Over months, the
    /// difference between the rates of the two clocks would add up to a step.
    private static let renewal: Duration = .seconds(86_400)

    /// How far the clock may be from the confirmed date, and how long a new date must hold before it is confirmed.
    private let (skew, settle): (Duration, Duration)
    /// The confirmed date; nil before the first confirmation.
    private(set) var confirmed: DatedInstant?
    private var source = WallTime.Provenance.unset
    /// A date other than the confirmed date that the clock shows, with the instant since which it has shown it; nil if
    /// there is none.
    private var candidate: DatedInstant?

    /// The confirmed date if more than a saved date supports it; otherwise nil.
    var good: DatedInstant? { source >= .rtc ? confirmed : nil }

    /// Creates the state at the start of the program. `kept`: the value of ``good`` before the program ended,
    /// in the same start of the machine; nil if it is not known.
    init(skew: Duration, settle: Duration, kept: DatedInstant? = nil) {
        (self.skew, self.settle, confirmed) = (skew, settle, kept)
        if kept != nil { source = .rtc }
    }

    /// Handles the date of a reading. Returns another date that may also be right; nil if no other date may be right.
    ///
    /// The first date of a start is confirmed at once, because nothing shows how long the machine was off; an
    /// ``EarlierDate`` limits which opening hours this date may use. The first date of a battery-backed clock or of a
    /// time server is confirmed at once, too, if the confirmed date was only a saved one.
    mutating func handle(_ time: WallTime, at now: Instant) -> Timestamp? {
        let shown = DatedInstant(utc: time.utc, at: now)
        if time.provenance > .unset {
            let isBetter = source < .rtc && time.provenance > source
            if confirmed == nil || isBetter { confirm(shown, by: time.provenance) }
        }
        guard let confirmed else { return nil }
        if confirmed.agrees(with: shown, within: skew) {
            candidate = nil
            let isGood = time.provenance >= min(source, .rtc)
            if isGood, confirmed.at.duration(to: now) >= Self.renewal { confirm(shown, by: source) }
            return nil
        }
        if time.provenance == .unset {
            candidate = nil
            return confirmed.carried(to: now)
        }
        guard let since = candidate, since.agrees(with: shown, within: skew) else {
            candidate = shown
            return confirmed.carried(to: now)
        }
        guard since.at.duration(to: now) >= settle else { return confirmed.carried(to: now) }
        confirm(shown, by: time.provenance)
        return nil
    }

    /// Confirms a date that an operator has accepted. A different date that the clock shows is not confirmed.
    mutating func accept(_ date: DatedInstant) { confirm(date, by: .given) }

    private mutating func confirm(_ date: DatedInstant, by source: WallTime.Provenance) {
        (confirmed, self.source, candidate) = (date, source, nil)
    }
}
