package import DIDComm
package import Encoding

/// The waits between attempts: 1 s, 2 s, 4 s, … up to 15 min, each shortened at random by up to a half. The random part
/// prevents gates that lost the connection to the same server from trying again at the same moment.
package struct Backoff: Sendable {
    /// The number of consecutive failures.
    package private(set) var failures = 0
    /// The time before which no attempt may be made; nil if an attempt may be made at any time.
    package private(set) var until: Instant?

    /// Creates the state before the first failure.
    package init() {}

    /// Returns whether an attempt may be made at `now`.
    package func permits(_ now: Instant) -> Bool { until.map { now >= $0 } ?? true }

    /// Records another failed attempt.
    package mutating func fail(at now: Instant, _ limits: AgentConnection.Limits, random: inout RandomStream) {
        let wait = DoublingWait.after(failures, first: limits.firstRetry, longest: limits.longestRetry).nanoseconds
        let jitter = random.draw(2).reduce(Int64(0)) { $0 << 8 | Int64($1) }  // 0…65535
        until = now.advanced(by: .nanoseconds(wait - wait / 131_072 * jitter))
        failures += 1
    }

    /// Records a successful attempt.
    package mutating func succeed() { self = Backoff() }

    /// Permits the next attempt at once. The number of failures does not change.
    package mutating func permitNow() { until = nil }
}
