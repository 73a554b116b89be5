package import Clocks
package import Credentials
package import Encoding
package import Kiosk
import LinuxIO
import Reasons
import ServiceLifecycle
import Synchronization

/// Reports a fault while the date is one at which the gate admits no visitor. The service judges the date by the
/// policy in force, as a verification does, but also when no visitor is at the gate.
package struct DatingService: ServiceLifecycle.Service {
    private let verifiers: CurrentVerifier
    private let wallTime: @Sendable () -> WallTime
    private let report: HealthReporter
    private let times: Periodic

    /// Creates a service that checks the date at intervals.
    ///
    /// - Parameters:
    ///   - verifiers: Contains the policy in force.
    ///   - clock: Measures the time between two checks.
    ///   - wallTime: Returns the date and its provenance.
    ///   - report: Receives the fault when the date has been untrusted for ``Dating/patience``, and the end of the
    ///     fault.
    ///   - pause: The time between two checks.
    package init(
        _ verifiers: CurrentVerifier, clock: Clock, wallTime: @escaping @Sendable () -> WallTime,
        report: @escaping HealthReporter, pause: Duration = .seconds(1)
    ) {
        (self.verifiers, self.wallTime, self.report) = (verifiers, wallTime, report)
        times = Periodic(every: pause, by: clock)
    }

    /// Checks the date until the service is shut down. The call that reads the date may hang, so a separate thread
    /// makes it, and the shutdown does not wait for that thread.
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

    /// The state of the checks. Only the thread of the checks uses it.
    private final class Watched: Sendable { let state = Mutex(Dating()) }
}

/// Decides when an untrusted date is reported as a fault, and with which text.
package struct Dating: Sendable {
    /// How long the date must be untrusted before the fault is reported. After a start of the program it takes a
    /// moment until the system reports whether its date is synchronised.
    package static let patience: Duration = .seconds(5)

    private var since: Instant?
    private var told: String?

    /// Creates the state before the first check.
    package init() {}

    /// Checks the date `time` under `policy`. Returns the beginning, the change or the end of the fault; nil if
    /// nothing is to be reported.
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
