import Encoding

/// What is done about a radio that fails: first what costs least.
///
/// The controller is reset where the way to it stands; if that does not help, the way is closed and opened anew, with waits that
/// grow; and when the radio has been out of order for a while, somebody with the right to it is asked to reset the adapter itself.
/// A radio that has been up for a while is in order again.
struct RadioSupervisor: Sendable {
    /// What to do now.
    enum Step: Equatable {
        /// Reset the controller, at once.
        case reset
        /// Close the way to it, and open it after that time.
        case reopen(after: Duration)
    }

    /// How long the radio has been out of order when the adapter's reset is asked for, and from then on the shortest and longest
    /// time until that is asked for again: what is plugged in on the other side of the box may need it for other things.
    static let patience: Duration = .seconds(10)
    static let resets: ClosedRange<Duration> = .seconds(60)...(.seconds(600))

    private let backoff: ClosedRange<Duration>
    private let settling: Duration
    private let reminder: Duration
    private var wait: Duration
    private var failures = 0
    /// When the adapter's reset is asked for, and how long after that again.
    private var nextReset: (at: Instant, gap: Duration)?
    private var told: (reason: String, at: Instant)?
    /// Since when the radio is up; nil: it is not.
    private var upSince: Instant?

    init(_ settings: KioskSettings) {
        (backoff, settling) = (settings.radioBackoff, settings.radioSettling)
        (reminder, wait) = (settings.radioReminder, settings.radioBackoff.lowerBound)
    }

    /// The controller is ready.
    mutating func up(at now: Instant) { upSince = now }

    /// The radio has failed; `canReset`: the controller can be reached still. Returns what to do, and whether the adapter should be
    /// reset by whoever may.
    mutating func failed(canReset: Bool, at now: Instant) -> (step: Step, resetsAdapter: Bool) {
        if let upSince, upSince.duration(to: now) >= settling {
            (failures, wait, nextReset, told) = (0, backoff.lowerBound, nil, nil)
        }
        let wasUp = upSince != nil
        upSince = nil
        failures += 1
        let next = nextReset ?? (now.advanced(by: Self.patience), Self.resets.lowerBound)
        let isTime = now >= next.at
        nextReset = isTime ? (now.advanced(by: next.gap), min(next.gap * 2, Self.resets.upperBound)) : next
        if canReset, wasUp, failures == 1 { return (.reset, isTime) }
        defer { wait = min(wait * 2, backoff.upperBound) }
        return (.reopen(after: wait), isTime)
    }

    /// Whether to tell of a failure: it is tried often and told seldom, for a log is read by people.
    mutating func tells(_ reason: String, _ step: Step, at now: Instant) -> Bool {
        if let told, step == .reopen(after: backoff.upperBound), told.reason.utf8.elementsEqual(reason.utf8),
            now < told.at.advanced(by: reminder)
        {
            return false
        }
        told = (reason, now)
        return true
    }
}
