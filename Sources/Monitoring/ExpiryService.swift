package import Clocks
package import Credentials
package import Encoding
package import GateService
package import Kiosk
package import LinuxIO
import Observation
package import Reasons
import ServiceLifecycle
import Synchronization
import TrustFiles

/// Warns before trust data, rules or certificates expire, by the date and the rules in force. The light, the status
/// report, the log and the agents show the warnings.
package final class ExpiryService: ServiceLifecycle.Service {
    /// The sources of expiry dates, and the receivers of warnings.
    package struct Dependencies: Sendable {
        /// Contains the trust data and the rules in force.
        package var verifiers: CurrentVerifier
        /// Returns the expiry dates of everything except the trust data, for the rules in force. May read files.
        package var others: @Sendable (GatePolicy?) -> [Expiry]
        /// The configured hosts from which documents and status lists may be fetched; nil: the gate fetches nothing.
        package var fetchedFrom: Set<Text>?
        /// Returns the date and its provenance.
        package var wallTime: @Sendable () -> WallTime
        /// Receives a fault for each kind of items that expire soon or have expired, and its end.
        package var report: HealthReporter
        /// Receives one line for each warning about each item.
        package var log: LogSink
        /// Sends a warning (its code and its text) to all agents except those whose destinations are in `sparing`.
        /// Returns which agents have received it.
        package var tell: @Sendable (ReasonCode, String, _ sparing: Set<Text>) async -> NotifiedAgents

        /// Creates the dependencies.
        package init(
            verifiers: CurrentVerifier, others: @escaping @Sendable (GatePolicy?) -> [Expiry], fetchedFrom: Set<Text>?,
            wallTime: @escaping @Sendable () -> WallTime, report: @escaping HealthReporter, log: LogSink,
            tell: @escaping @Sendable (ReasonCode, String, _ sparing: Set<Text>) async -> NotifiedAgents
        ) {
            (self.verifiers, self.others, self.fetchedFrom) = (verifiers, others, fetchedFrom)
            (self.wallTime, self.report, self.log, self.tell) = (wallTime, report, log, tell)
        }
    }

    /// The agents that have received a warning.
    package struct NotifiedAgents: Hashable, Sendable {
        /// The names of the destinations that have received the warning.
        package var heard: Set<Text>
        /// Whether all agents that should receive the warning have received it.
        package var isComplete: Bool

        /// Creates the value. `heard` contains the destinations that have received the warning. `isComplete`: no
        /// destination is missing.
        package init(heard: Set<Text> = [], isComplete: Bool) { (self.heard, self.isComplete) = (heard, isComplete) }
    }

    /// The results of the last check.
    private struct State {
        var calendar = ExpiryCalendar()
        /// The expiry dates of the trust data `store`, so that they are not computed again for the same trust data;
        /// nil before the first check.
        var trust: (store: TrustStore, expiries: [Expiry])?
        /// The other expiry dates, and the instant at which they were read; nil before the first check.
        var others: (at: Instant, expiries: [Expiry])?
        /// The warnings that some agents have not received yet, oldest first. `heard` contains the destinations that
        /// have received the warning.
        var untold: [(warning: ExpiryCalendar.Warning, heard: Set<Text>)] = []
    }

    /// The time after which expiry dates in files are read again.
    private static let keeping: Duration = .seconds(60)
    /// The maximum number of warnings that wait to be sent. With more, the oldest is dropped.
    private static let queue = 32

    private let dependencies: Dependencies
    private let times: Periodic
    private let state = Mutex(State())

    /// Creates a service that checks the expiry dates every `pause` of `clock`.
    package init(_ dependencies: Dependencies, clock: Clock, pause: Duration = .seconds(5)) {
        (self.dependencies, times) = (dependencies, Periodic(every: pause, by: clock))
    }

    /// Checks the expiry dates until the service is shut down, on a separate thread, because status lists are large
    /// and reading files may hang.
    package func run() async throws {
        let thread = try BackgroundThread(name: "gatehouse-ends", limit: 1)
        await cancelWhenGracefulShutdown { [self] in
            await times.run { now in
                thread.run { self.look(at: now) }
                await tellAgents()
            }
        }
    }

    /// Checks all expiry dates once.
    package func look(at now: Instant) {
        let verifier = dependencies.verifiers.current
        let (trust, others) = (expiries(of: verifier), others(verifier.policy.rules, at: now))
        let time = dependencies.wallTime()
        let date = verifier.policy.trusts(time) ? time.utc : nil
        let actions = state.withLock { $0.calendar.look(trust + others, at: date) }
        for action in actions {
            switch action {
            case .report(let report): dependencies.report(report)
            case .tell(let warning): tell(warning)
            }
        }
    }

    private func tell(_ warning: ExpiryCalendar.Warning) {
        dependencies.log.log(
            .warning, "expiry",
            [
                "code": .text(warning.code.text), "kind": .text(warning.expiry.kind.rawValue),
                "name": .string(warning.expiry.name), "end": .text(warning.expiry.end.rfc3339),
                "days": .int(warning.step.rawValue), "text": .text(warning.words),
                "remedy": .text(warning.code.remedy),
            ])
        state.withLock { $0.untold = $0.untold.suffix(Self.queue - 1) + [(warning: warning, heard: Set())] }
    }

    /// Sends each agent the warnings that it has not received. An agent that cannot be reached does not delay the
    /// others.
    package func tellAgents() async {
        for (warning, heard) in state.withLock({ $0.untold }) {
            let hearing = await dependencies.tell(warning.code, warning.words, heard)
            state.withLock { state in
                guard let index = state.untold.firstIndex(where: { $0.warning == warning }) else { return }
                if hearing.isComplete {
                    state.untold.remove(at: index)
                } else {
                    state.untold[index].heard = hearing.heard
                }
            }
        }
    }

    /// Returns the expiry dates of the trust data of `verifier`. Computes them only if the trust data have changed
    /// since the last call.
    private func expiries(of verifier: Verifier) -> [Expiry] {
        if let known = state.withLock({ $0.trust }), known.store === verifier.trust { return known.expiries }
        let expiries = Expiries.trust(verifier, fetchedFrom: dependencies.fetchedFrom)
        state.withLock { $0.trust = (verifier.trust, expiries) }
        return expiries
    }

    private func others(_ rules: GatePolicy?, at now: Instant) -> [Expiry] {
        if let known = state.withLock({ $0.others }), known.at.duration(to: now) < Self.keeping {
            return known.expiries
        }
        let expiries = dependencies.others(rules)
        state.withLock { $0.others = (now, expiries) }
        return expiries
    }

    /// The part of the status report about expiries: whether the date is trusted, the warnings, and the next expiry.
    var status: StatusReport.Expiries {
        let calendar = state.withLock { $0.calendar }
        func expiring(_ expiry: Expiry) -> StatusReport.Expiring {
            var expiring = StatusReport.Expiring()
            (expiring.kind, expiring.name) = (expiry.kind, expiry.name)
            (expiring.end, expiring.words) = (expiry.end, expiry.words)
            return expiring
        }
        var status = StatusReport.Expiries()
        status.isDated = calendar.isDated
        status.warnings = calendar.warnings.prefix(20).map { warning in
            var expiring = expiring(warning.expiry)
            (expiring.days, expiring.words) = (warning.step.rawValue, warning.words)
            return expiring
        }
        let warned = Set(calendar.warnings.map(\.expiry))
        status.next = calendar.expiries.first { !warned.contains($0) }.map(expiring)
        return status
    }
}
