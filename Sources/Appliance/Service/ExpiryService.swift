package import Credentials
package import Encoding
package import Kiosk
package import LinuxIO
import ServiceLifecycle
import Synchronization

/// Warns before something ends: by light and status, in the log, and to the agents, by the date and the rules in force.
package final class ExpiryService: ServiceLifecycle.Service {
    /// What is looked at, and who hears of it.
    package struct Surroundings: Sendable {
        /// The trust data and the rules in force.
        package var verifiers: VerifierInForce
        /// What ends besides the trust data; may read files.
        package var others: @Sendable (GatePolicy?) -> [Expiry]
        /// The hosts that are listed for fetching documents and lists; nil: the box fetches nothing.
        package var fetchedFrom: Set<Text>?
        /// The date and what is known about it.
        package var wallTime: @Sendable () -> WallTime
        /// Told what is near its end.
        package var report: HealthReporter
        /// Hears of each step of each thing once.
        package var log: LogSink
        /// Tells the agents, but those that have heard it.
        package var tell: @Sendable (ReasonCode, String, _ sparing: Set<Text>) async -> Hearing

        /// These.
        package init(
            verifiers: VerifierInForce, others: @escaping @Sendable (GatePolicy?) -> [Expiry], fetchedFrom: Set<Text>?,
            wallTime: @escaping @Sendable () -> WallTime, report: @escaping HealthReporter, log: LogSink,
            tell: @escaping @Sendable (ReasonCode, String, _ sparing: Set<Text>) async -> Hearing
        ) {
            (self.verifiers, self.others, self.fetchedFrom) = (verifiers, others, fetchedFrom)
            (self.wallTime, self.report, self.log, self.tell) = (wallTime, report, log, tell)
        }
    }

    /// Which agents have heard something.
    package struct Hearing: Hashable, Sendable {
        /// The names of their destinations.
        package var heard: Set<Text>
        /// Whether nobody is left who may hear it later.
        package var isComplete: Bool

        /// So many, or all.
        package init(heard: Set<Text> = [], isComplete: Bool) { (self.heard, self.isComplete) = (heard, isComplete) }
    }

    /// What was found at the last looks.
    private struct State {
        var calendar = ExpiryCalendar()
        /// What ends in the trust data, and of which these are.
        var trust: (store: TrustStore, expiries: [Expiry])?
        /// What ends besides, and when that was looked at.
        var others: (at: Instant, expiries: [Expiry])?
        /// What not all agents have heard yet, the oldest first, and who has.
        var untold: [(warning: ExpiryCalendar.Warning, heard: Set<Text>)] = []
    }

    /// How long what was read of files counts.
    private static let keeping: Duration = .seconds(60)
    /// Warnings that wait for the agents at most.
    private static let queue = 32

    private let surroundings: Surroundings
    private let pause: Duration
    private let state = Mutex(State())

    /// A service that looks every so often.
    package init(_ surroundings: Surroundings, pause: Duration = .seconds(5)) {
        (self.surroundings, self.pause) = (surroundings, pause)
    }

    /// Looks until the service is to end. Lists are large and files may hang, so that a thread of its own looks.
    package func run() async throws {
        let thread = try SideThread(name: "gatehouse-ends", limit: 1)
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                thread.run { self.look(at: SystemClock.now()) }
                await tellAgents()
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// One look at everything.
    package func look(at now: Instant) {
        let verifier = surroundings.verifiers.current
        let (trust, others) = (expiries(of: verifier), others(verifier.policy.rules, at: now))
        let time = surroundings.wallTime()
        let date = verifier.policy.trusts(time) ? time.utc : nil
        let actions = state.withLock { $0.calendar.look(trust + others, at: date) }
        for action in actions {
            switch action {
            case .report(let report): surroundings.report(report)
            case .tell(let warning): tell(warning)
            }
        }
    }

    private func tell(_ warning: ExpiryCalendar.Warning) {
        surroundings.log.log(
            .warning, "expiry",
            [
                "code": .text(warning.code.text), "kind": .text(warning.expiry.kind.rawValue),
                "name": .string(warning.expiry.name), "end": .text(warning.expiry.end.rfc3339),
                "days": .int(warning.step.rawValue), "text": .text(warning.words),
                "remedy": .text(warning.code.remedy),
            ])
        state.withLock { $0.untold = $0.untold.suffix(Self.queue - 1) + [(warning: warning, heard: Set())] }
    }

    /// Tells the agents what they have not heard. One that nobody can reach keeps nothing from the others.
    package func tellAgents() async {
        for (warning, heard) in state.withLock({ $0.untold }) {
            let hearing = await surroundings.tell(warning.code, warning.words, heard)
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

    /// Of trust data that stay the same the same ends.
    private func expiries(of verifier: Verifier) -> [Expiry] {
        if let known = state.withLock({ $0.trust }), known.store === verifier.trust { return known.expiries }
        let expiries = Expiries.trust(verifier, fetchedFrom: surroundings.fetchedFrom)
        state.withLock { $0.trust = (verifier.trust, expiries) }
        return expiries
    }

    private func others(_ rules: GatePolicy?, at now: Instant) -> [Expiry] {
        if let known = state.withLock({ $0.others }), known.at.duration(to: now) < Self.keeping {
            return known.expiries
        }
        let expiries = surroundings.others(rules)
        state.withLock { $0.others = (now, expiries) }
        return expiries
    }

    /// For `gatehouse status`: whether anything can be told by the date, what is near its end, and what ends next.
    var status: JSON {
        let calendar = state.withLock { $0.calendar }
        func json(_ expiry: Expiry) -> JSONObject {
            [
                "kind": .text(expiry.kind.rawValue), "name": .string(expiry.name), "end": .text(expiry.end.rfc3339),
                "text": .text(expiry.words),
            ]
        }
        let warnings = calendar.warnings.prefix(20).map { warning -> JSON in
            var object = json(warning.expiry)
            object["days"] = .int(warning.step.rawValue)
            object["text"] = .text(warning.words)
            return .object(object)
        }
        var status: JSONObject = ["dated": .bool(calendar.isDated), "warnings": .array(warnings)]
        let warned = Set(calendar.warnings.map(\.expiry))
        if let next = calendar.expiries.first(where: { !warned.contains($0) }) { status["next"] = .object(json(next)) }
        return .object(status)
    }
}
