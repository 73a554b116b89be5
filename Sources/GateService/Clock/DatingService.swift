package import Clocks
package import Credentials
package import Encoding
package import Kiosk
import LinuxIO
import Reasons
import ServiceLifecycle
import Synchronization

/// Reports a date at which the gate admits no visitor. The date is judged as in a verification, by the policy
/// in force, but before a visitor arrives.
package struct DatingService: ServiceLifecycle.Service {
    private let verifiers: CurrentVerifier
    private let wallTime: @Sendable () -> WallTime
    private let report: HealthReporter
    private let times: Periodic

    /// Creates a service that checks the date at intervals.
    ///
    /// - Parameters:
    ///   - verifiers: The policy in force.
    ///   - clock: Measures the time between two checks.
    ///   - wallTime: Returns the date and what is known about it.
    ///   - report: Receives the fault once the date has been untrusted for ``Dating/patience``, and its end.
    ///   - pause: The time between two checks.
    package init(
        _ verifiers: CurrentVerifier, clock: Clock, wallTime: @escaping @Sendable () -> WallTime,
        report: @escaping HealthReporter, pause: Duration = .seconds(1)
    ) {
        (self.verifiers, self.wallTime, self.report) = (verifiers, wallTime, report)
        times = Periodic(every: pause, by: clock)
    }

    /// Checks the date until the service must end. The system's answer about the date may hang; the end does
    /// not wait for it.
    package func run() async throws {
        let thread = try BackgroundThread(name: "gatehouse-date", limit: 1)
        let dating = Watched()
        await cancelWhenGracefulShutdown {
            await times.run { now in
                thread.run { [wallTime, verifiers, report] in
                    let policy = verifiers.current.policy
                    let change = dating.state.withLock { $0.look(wallTime(), under: policy, at: now) }
                    if let change { report(change) }
                }
            }
        }
    }

    /// The state of the last check, used on the thread.
    private final class Watched: Sendable { let state = Mutex(Dating()) }
}

/// Decides when an untrusted date is a fault, and with which detail.
package struct Dating: Sendable {
    /// How long the date must have been untrusted before the fault is reported: after a start, the system's
    /// answer about it takes a moment.
    package static let patience: Duration = .seconds(5)

    private var since: Instant?
    private var told: String?

    /// Creates the state of the service before the first check.
    package init() {}

    /// Checks a date; returns the report to send, if any.
    package mutating func look(_ time: WallTime, under policy: VerificationPolicy, at now: Instant) -> HealthReport? {
        guard !policy.trusts(time) else {
            defer { (since, told) = (nil, nil) }
            return told == nil ? nil : .over(.clockFault)
        }
        let since = self.since ?? now
        self.since = since
        let words = Self.words(time, policy)
        guard since.duration(to: now) >= Self.patience, words != told else { return nil }
        told = words
        return .present(.clockFault, detail: words)
    }

    private static func words(_ time: WallTime, _ policy: VerificationPolicy) -> String {
        guard time.provenance >= policy.minimumClock else {
            return "\(worth(time.provenance)) (\(time.provenance.rawValue)), and the gate's rules require at least "
                + "\(policy.minimumClock.rawValue)"
        }
        return time.unsynchronised == nil
            ? "there has been no contact with a time server since the start, and the policy's max-unsynced limits "
                + "this time"
            : "the last contact with a time server is longer ago than the policy's max-unsynced"
    }

    private static func worth(_ provenance: WallTime.Provenance) -> String {
        switch provenance {
        case .unset: "the date is unknown"
        case .saved: "the date is only continued from an earlier one"
        case .rtc: "the date is only that of a battery-backed clock"
        case .synchronised, .given: "the date is that of a time server"
        }
    }
}
