import Aries
package import Credentials
import DIDComm
package import Encoding
package import Kiosk
package import Ledger
import Reasons
package import Simulation
import Synchronization

/// Runs a scenario on one virtual clock: the real kiosk with a virtual radio, one phone and a ledger in memory, and the
/// real agent connection with a virtual cloud agent.
package final class Demonstration: SimulatedWorld {
    /// The events of a run that an observer receives, in order.
    package enum Event: Sendable {
        /// The simulation of the gate reported an observation.
        case gate(GateSimulation.Observation)
        /// A stage of the verification ended. The duration is its real time.
        case stage(Stage, Duration)
        /// The verification ended with this verdict.
        case verdict(Verdict)
        /// An entry was appended to the ledger.
        case recorded(LedgerRecord)
        /// The connection to the cloud agent was established.
        case agentConnected
        /// The cloud agent could not be reached.
        case agentUnreachable
        /// The agent's server accepted the report with the given id.
        case reportSent(Text)
        /// The agent's controller received the report.
        case reportDelivered(JSON)
    }

    /// The result of a run.
    package struct Result: Sendable {
        /// The outcome of the visit; nil if the visit had none within the time limit.
        package var outcome: Outcome?
        /// The end of the visit for the phone; nil if the phone is still busy.
        package var phone: VisitOutcome?
        /// The number of different reports that arrived at the agent.
        package var delivered: Int
        /// Whether the ledger's chain is intact.
        package var isChainIntact: Bool
        /// The kiosk's violations of its rules. Empty if the kiosk is correct.
        package var violations: [Violation]

        /// Returns whether the run ended as the scenario requires.
        package func isAsExpected(_ ending: DemoScenario.Ending) -> Bool {
            guard delivered == 1, isChainIntact, violations.isEmpty else { return false }
            switch ending {
            case .accepted: return outcome?.result == .accepted && phone == .accepted
            case .rejected(let code):
                return outcome?.result == .rejected && phone == .rejected
                    && outcome?.reasons.first?.code == Text(code.text)
            }
        }
    }

    private let scenario: DemoScenario
    private let verifier: Verifier
    private let realTime: @Sendable () -> Instant
    private let onEvent: (Event, Instant) -> Void
    private var simulation: GateSimulation
    private var ledger: MemoryLedger
    private var agent: VirtualAgent
    private var connection: AgentConnection
    private var posts = EventQueue<AgentConnection.Event>()
    private var arrivals = EventQueue<JSON>()
    private var outcome: Outcome?
    private var visitBegan: Instant?

    /// Creates a run of `scenario`. `realTime` returns the instants that measure the stages. `random` contains 64 bytes
    /// for the keys.
    package init(
        _ scenario: DemoScenario, settings: KioskSettings, seed: UInt64, random: [UInt8],
        realTime: @escaping @Sendable () -> Instant, onEvent: @escaping (Event, Instant) -> Void
    ) throws {
        self.scenario = scenario
        self.realTime = realTime
        self.onEvent = onEvent
        let bare = VerificationPolicy(version: "demonstration")
        let policy = scenario.rules.map { VerificationPolicy($0, over: bare) } ?? bare
        verifier = Verifier(trust: try TrustStore(scenario.trust), policy: policy)
        guard random.count >= 64, let agentRandom = RandomStream(seed: Secret(random[..<32])),
            let kioskRandom = RandomStream(seed: Secret(random[32..<64])),
            let agent = VirtualAgent(endpoint: "https://agent.example/didcomm", random: agentRandom)
        else { throw Failure.noRandomness }
        let invitation = try Invitation(agent.invitation)
        self.agent = agent
        connection = try AgentConnection(
            id: "operator", invitation: invitation,
            configuration: AgentConnection.Configuration(label: Text("Gatehouse demonstration")), random: kioskRandom)
        ledger = MemoryLedger(id: "demonstration")
        var keys = SplitMix64(seed: seed)
        let visit = Simulation.Visit(
            "visitor", arrival: .at(.seconds(2)), phone: scenario.phone,
            submission: .seal(record: scenario.payload, privateKey: keys.bytes(32), nonce: keys.bytes(12)))
        simulation = GateSimulation(
            settings: settings, radio: VirtualRadio(visits: [visit], seed: seed), seed: seed)
    }

    /// The reason why a demonstration could not start.
    package enum Failure: Error {
        /// The system supplied fewer than 64 random bytes, or bytes from which no key can be made.
        case noRandomness
    }

    /// Runs the scenario until the phone has left, the outcome is recorded and its report is delivered, but at most for
    /// the virtual time `limit`.
    package func run(limit: Duration = .seconds(300)) -> Result {
        let end = Instant.zero.advanced(by: limit)
        perform(connection.handle(.start, at: simulation.now))
        while simulation.now < end, !isFinished {
            let next =
                [simulation.deadline, connection.deadline, posts.deadline, arrivals.deadline].compactMap { $0 }.min()
                ?? end
            _ = simulation.run(until: min(max(next, simulation.now), end), in: self)
            driveAgent()
        }
        simulation.stop(in: self)
        return Result(
            outcome: outcome, phone: simulation.radio.outcomes[0], delivered: agent.received.count,
            isChainIntact: ledger.verify().isIntact, violations: simulation.violations)
    }

    private var isFinished: Bool {
        simulation.radio.isFinished && outcome != nil && ledger.reports.allSatisfy(\.isSent)
    }

    // MARK: - The kiosk's environment

    /// Appends the intent to the ledger in memory. The intent counts as durable 2 ms later.
    package func recordIntent(_ intent: IntentID, at now: Instant) -> (takes: Duration, failure: LedgerFailure?) {
        do {
            try ledger.recordIntent(intent, stamp: stamp(at: now))
        } catch {
            return (.zero, .database("\(error)"))
        }
        announceLastEntry(at: now)
        return (.milliseconds(2), nil)
    }

    /// Verifies a payload with the real verifier. The virtual time that this takes is the real time of the
    /// verification.
    package func verify(_ payload: [UInt8], at now: Instant) -> (takes: Duration, verdict: Verdict) {
        let began = realTime()
        let watch = StageWatch(began: began, realTime: realTime)
        let verdict = verifier.verify(payload, at: date(at: now)) { watch.ended($0) }
        let took = began.duration(to: realTime())
        for (stage, time) in watch.stages { onEvent(.stage(stage, time), now) }
        onEvent(.verdict(verdict), now)
        return (took, verdict)
    }

    /// Records the outcome and queues its report.
    package func recordOutcome(_ record: VisitRecord, at now: Instant) {
        outcome = record.outcome
        if (try? ledger.recordOutcome(record, stamp: stamp(at: now))) != nil { announceLastEntry(at: now) }
    }

    /// Passes an observation to the observer. If the scenario demands it, makes the agent unreachable as soon as the
    /// phone connects.
    package func observe(_ observation: GateSimulation.Observation, at now: Instant) {
        if case .kiosk(.phoneConnected) = observation, let away = scenario.agentAway {
            agent.isUp = false
            visitBegan = visitBegan ?? now.advanced(by: away)
        }
        onEvent(.gate(observation), now)
    }

    private func announceLastEntry(at now: Instant) {
        guard let body = ledger.entries.last?.body, let record = try? LedgerRecord(bytes: body) else { return }
        onEvent(.recorded(record), now)
    }

    private func date(at now: Instant) -> WallTime {
        WallTime(utc: scenario.clock.advanced(by: Instant.zero.duration(to: now)), provenance: .given)
    }

    private func stamp(at now: Instant) -> RecordStamp {
        RecordStamp(kiosk: "demonstration", boot: "demonstration", time: date(at: now), monotonic: now)
    }

    // MARK: - The cloud agent

    private func driveAgent() {
        let now = simulation.now
        if let back = visitBegan, now >= back { agent.isUp = true }
        while let report = arrivals.take(dueBy: now) { onEvent(.reportDelivered(report), now) }
        while let event = posts.take(dueBy: now) { perform(connection.handle(event, at: now)) }
        if let deadline = connection.deadline, deadline <= now { perform(connection.handle(.deadlineReached, at: now)) }
        if connection.wantsMessage, let report = ledger.reports.first(where: { !$0.isSent }) {
            let message = OutboundMessage.basicMessage(
                id: report.id, content: report.content, time: Text(report.time.rfc3339))
            perform(connection.handle(.deliver(message), at: now))
        }
    }

    private func perform(_ actions: [AgentConnection.Action]) {
        let now = simulation.now
        for action in actions {
            switch action {
            case .post(let id, _, let body): post(id, body)
            case .connected: onEvent(.agentConnected, now)
            case .sent(let id): sent(id)
            case .reachability(.some): onEvent(.agentUnreachable, now)
            // Ignore all other actions: they concern only the service, and the demonstration shows only the delivery of
            // reports.
            default: break
            }
        }
    }

    /// Simulates one HTTP exchange: the request takes 30 ms, and so does the answer.
    private func post(_ id: AgentConnection.ExchangeID, _ body: [UInt8]) {
        let now = simulation.now
        let before = agent.received.count
        let event: AgentConnection.Event =
            switch agent.handle(body, at: now.advanced(by: .milliseconds(30))) {
            case .accepted(let answer): .answered(id, body: answer)
            case .rejected: .failed(id, .refused(status: 400))
            case .unreachable: .failed(id, .unreachable)
            case .lost: .failed(id, .uncertain)
            }
        posts.add(event, at: now.advanced(by: .milliseconds(60)))
        guard agent.received.count > before, let message = agent.received.last,
            let report = try? JSON.parse(message.content.string)
        else { return }
        arrivals.add(report, at: now.advanced(by: .milliseconds(30)))
    }

    private func sent(_ id: Text) {
        guard let index = ledger.reports.firstIndex(where: { $0.id == id }) else { return }
        ledger.reports[index].isSent = true
        onEvent(.reportSent(id), simulation.now)
    }
}

/// Measures the time of each stage of one verification. Only one thread uses the object; it has a lock only because the
/// compiler requires `Sendable`.
private final class StageWatch: Sendable {
    private let state: Mutex<(last: Instant, stages: [(Stage, Duration)])>
    private let realTime: @Sendable () -> Instant

    init(began: Instant, realTime: @escaping @Sendable () -> Instant) {
        state = Mutex((began, []))
        self.realTime = realTime
    }

    func ended(_ stage: Stage) {
        let now = realTime()
        state.withLock { state in
            state.stages.append((stage, state.last.duration(to: now)))
            state.last = now
        }
    }

    var stages: [(Stage, Duration)] { state.withLock { $0.stages } }
}
