import Encoding

/// The state after the delivery: SUCCESS is owed or sent, and the verdict is waited for or told.
struct Delivery: Sendable {
    /// Where the verdict stands.
    enum Verdict: Sendable {
        /// The application has until `limit`.
        case awaited(limit: Instant)
        /// Sent `count` times. At `next` it is sent again or, after the last time, the link dropped.
        case told(accepted: Bool, count: Int, next: Instant)
    }

    /// The Identify value of the session.
    let identify: [UInt8]
    /// When the SUCCESS report that was asked for goes out; nil when none is owed.
    var success: Instant?
    /// The end of the hold-back after the first SUCCESS report.
    private(set) var verdictNotBefore: Instant
    var verdict: Verdict
    private var isSuccessSent = false

    init(identify: [UInt8], success: Instant, verdictNotBefore: Instant, verdict: Verdict) {
        self.identify = identify
        self.success = success
        self.verdictNotBefore = verdictNotBefore
        self.verdict = verdict
    }

    /// The verdict as far as it was notified.
    var status: Bool? {
        if case .told(let accepted, let count, _) = verdict, count > 0 { accepted } else { nil }
    }

    /// When this state wants the clock next.
    var deadline: Instant {
        let time =
            switch verdict {
            case .awaited(let limit): limit
            case .told(_, _, let next): next
            }
        return success.map { min($0, time) } ?? time
    }

    /// Notes that SUCCESS went out. Only the first one holds the verdict back, or a wallet that keeps asking would never
    /// get it.
    mutating func successSent(at now: Instant, holdBack: Duration) {
        success = nil
        guard !isSuccessSent else { return }
        isSuccessSent = true
        verdictNotBefore = now.advanced(by: holdBack)
        if case .told(let accepted, 0, let next) = verdict {
            verdict = .told(accepted: accepted, count: 0, next: max(next, verdictNotBefore))
        }
    }
}
