import Encoding

/// The state after the delivery of the payload: SUCCESS is due or sent, and the verdict is awaited or sent.
struct Delivery: Sendable {
    /// The state of the verdict.
    enum Verdict: Sendable {
        /// The verdict is awaited. The application must supply the verdict before `limit`.
        case awaited(limit: Instant)
        /// The verdict is known and was sent `count` times, after SUCCESS. The verdict is sent again at `next`; nil:
        /// not again.
        case told(accepted: Bool, count: Int, next: Instant?)
    }

    /// The Identify value of the session.
    let identify: [UInt8]
    /// The time of the next SUCCESS report; nil if none is due.
    var success: Instant?
    var verdict: Verdict
    /// The earliest time for the verdict.
    private(set) var verdictNotBefore: Instant
    /// The time at which a wallet that has its verdict is disconnected; nil before the verdict is sent.
    private(set) var stayLimit: Instant?
    private var isSuccessSent = false

    /// Creates the state. SUCCESS is due at `success`, and the application must supply the verdict before `limit`.
    init(identify: [UInt8], success: Instant, limit: Instant, _ settings: SessionSettings) {
        self.identify = identify
        self.success = success
        verdictNotBefore = success.advanced(by: settings.verdict.holdBack)
        verdict = .awaited(limit: limit)
    }

    /// The verdict that was sent; nil if none was sent.
    var status: Bool? {
        if case .told(let accepted, let count, _) = verdict, count > 0 { accepted } else { nil }
    }

    /// The earliest time at which the state has an action due.
    var deadline: Instant {
        let time: Instant? =
            switch verdict {
            case .awaited(let limit): limit
            case .told(_, _, let next): next
            }
        return Self.sooner(Self.sooner(success, time), stayLimit) ?? verdictNotBefore
    }

    private static func sooner(_ one: Instant?, _ other: Instant?) -> Instant? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    /// Stores the application's verdict. Only the first verdict counts.
    mutating func decide(_ accepted: Bool, at now: Instant) {
        guard case .awaited = verdict else { return }
        verdict = .told(accepted: accepted, count: 0, next: max(now, verdictNotBefore))
    }

    /// Notes that SUCCESS was sent. Only the first SUCCESS delays the verdict. Otherwise a wallet that keeps requesting
    /// reports would never receive the verdict.
    mutating func successSent(at now: Instant, _ settings: SessionSettings) {
        success = nil
        guard !isSuccessSent else { return }
        isSuccessSent = true
        verdictNotBefore = now.advanced(by: settings.verdict.holdBack)
        if case .told(let accepted, 0, let next?) = verdict {
            verdict = .told(accepted: accepted, count: 0, next: max(next, verdictNotBefore))
        }
    }

    /// Notes that the verdict was sent once more.
    mutating func verdictSent(at now: Instant, _ settings: SessionSettings) {
        guard case .told(let accepted, let count, _) = verdict else { return }
        stayLimit = stayLimit ?? now.advanced(by: settings.silenceLimit)
        let next = settings.verdict.pause(after: count + 1).map { now.advanced(by: $0) }
        verdict = .told(accepted: accepted, count: count + 1, next: next)
    }
}
