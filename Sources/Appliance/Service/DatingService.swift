package import Credentials
package import Encoding
package import Kiosk
import LinuxIO
import ServiceLifecycle
import Synchronization

/// Tells of a date by which nobody is let in: judged as a verification judges it, by the policy in force, before anybody comes.
package struct DatingService: ServiceLifecycle.Service {
    private let verifiers: VerifierInForce
    private let wallTime: @Sendable () -> WallTime
    private let report: HealthReporter
    private let pause: Duration

    /// A service that looks every so often.
    ///
    /// - Parameters:
    ///   - verifiers: The policy in force.
    ///   - wallTime: The date and what is known about it.
    ///   - report: Told when the date has been worth too little for ``Dating/patience``, and when it is worth enough.
    ///   - pause: From one look to the next.
    package init(
        _ verifiers: VerifierInForce, wallTime: @escaping @Sendable () -> WallTime, report: @escaping HealthReporter,
        pause: Duration = .seconds(1)
    ) {
        (self.verifiers, self.wallTime, self.report, self.pause) = (verifiers, wallTime, report, pause)
    }

    /// Looks until the service is to end; the system's word on the date may hang, and the end does not wait for it.
    package func run() async throws {
        let thread = try SideThread(name: "gatehouse-date", limit: 1)
        let dating = Watched()
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                thread.run { [wallTime, verifiers, report] in
                    let policy = verifiers.current.policy
                    let change = dating.state.withLock { $0.look(wallTime(), under: policy, at: SystemClock.now()) }
                    if let change { report(change) }
                }
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// What the thread knows from its last look.
    private final class Watched: Sendable { let state = Mutex(Dating()) }
}

/// When a date by which nobody is let in is a fault, and in which words.
package struct Dating: Sendable {
    /// How long the date must have been worth too little before that is told: after a start the system's word on it takes a moment.
    package static let patience: Duration = .seconds(5)

    private var since: Instant?
    private var told: String?

    /// Nothing has been looked at yet.
    package init() {}

    /// Takes a look; returns what is to be told by it.
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
            return "\(worth(time.provenance)) (\(time.provenance.rawValue)), and the gate's rules ask for "
                + "\(policy.minimumClock.rawValue) at least"
        }
        return time.unsynchronised == nil
            ? "no time server has been heard since the start, and the policy's max-unsynced bounds how long that may be"
            : "no time server has been heard for longer than the policy's max-unsynced"
    }

    private static func worth(_ provenance: WallTime.Provenance) -> String {
        switch provenance {
        case .unset: "nobody knows the date"
        case .saved: "the date is only carried on from what was known before"
        case .rtc: "the date is only that of a battery-backed clock"
        case .synchronised, .given: "the date is that of a time server"
        }
    }
}
