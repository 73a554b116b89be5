import Encoding

/// The choice of the measure to recover a radio that fails; the least disruptive measure is first.
///
/// The controller is reset if its transport still works. If that does not help, the transport is closed and opened
/// again, with waits that grow. When the radio has been out of order for some time, the service that is permitted to
/// reset the adapter itself is asked to do so. A radio that has been up for some time counts as in order again.
struct RadioSupervisor: Sendable {
    /// The next measure.
    enum Step: Equatable {
        /// Reset the controller at once.
        case reset
        /// Close the transport, and open it again after the given time.
        case reopen(after: Duration)
    }

    /// How long the radio has been out of order when the reset of the adapter is first requested
    /// (`patience`), and then the shortest and longest time to the next request (`resets`). Resets are rare
    /// because other devices of the machine may need the adapter.
    static let patience: Duration = .seconds(10)
    static let resets: ClosedRange<Duration> = .seconds(60)...(.seconds(600))

    private let backoff: ClosedRange<Duration>
    private let settling: Duration
    private let reminder: Duration
    private var wait: Duration
    private var failures = 0
    /// When the reset of the adapter is requested next, and the time from that request to the following one; nil while
    /// the radio is in order.
    private var nextReset: (at: Instant, gap: Duration)?
    private var told: (failure: RadioFailure, at: Instant)?
    /// Since when the radio has been up; nil if it is not up.
    private var upSince: Instant?

    init(_ settings: KioskSettings) {
        (backoff, settling) = (settings.radioBackoff, settings.radioSettling)
        (reminder, wait) = (settings.radioReminder, settings.radioBackoff.lowerBound)
    }

    /// Notes that the controller is ready.
    mutating func up(at now: Instant) { upSince = now }

    /// Handles a failure of the radio; `canReset`: the controller can still be reached. Returns the next measure, and
    /// whether to request a reset of the adapter.
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

    /// Returns whether to report a failure. While attempts fail repeatedly for the same reason at the longest wait,
    /// the failure is reported only once in `reminder`, because people read the log.
    mutating func tells(_ failure: RadioFailure, _ step: Step, at now: Instant) -> Bool {
        if let told, step == .reopen(after: backoff.upperBound), told.failure == failure,
            now < told.at.advanced(by: reminder)
        {
            return false
        }
        told = (failure, now)
        return true
    }
}
