import Clocks
import Courier
import Credentials
import Encoding
import Features
import GateService
import Kiosk
import LinuxIO
import Monitoring
import Settings
import TrustFiles

extension Composition {
    /// What serves visitors, and keeps and delivers the records of their visits.
    struct Gate {
        let agents: AgentService
        let keeper: LedgerKeeper
        let verifiers: CurrentVerifier
        let listeners: Listeners
        let features: [any Feature]
        let gatekeeper: Gatekeeper

        init(_ base: Base, _ records: Records, observe: Gatekeeper.TurnObserver?) throws {
            let (configuration, log, report) = (base.configuration, base.log, base.report)
            let (clock, spawner) = (base.clock, base.spawner)
            let agents = AgentService(
                configuration: configuration, store: records.store, log: log, clock: clock, contacts: base.crashes,
                report: report)
            keeper = LedgerKeeper(
                store: records.store, reserve: records.reserve, siteKey: records.siteKey, clock: clock,
                spawner: spawner, stamp: records.stamp, report: report,
                onChange: { _ in agents.wake() })
            let verifiers = CurrentVerifier(
                base.judgement.verifier, siteKey: records.siteKey, memory: records.memory)
            (self.agents, self.verifiers) = (agents, verifiers)
            let start = FeatureStart(configuration, clock: clock, wallTime: records.wallTime, report: report)
            features = try FeatureList.all.map { try $0.init(start) }
            listeners = try Listeners(
                [LogOutput(log), base.displays, ReadinessOutput(base.manager)] + features.flatMap(\.listeners),
                clock: clock)
            let (radio, runtime) = (configuration.radio, base.runtime)
            let missing = MissingAdapter(radio.device)
            gatekeeper = try Gatekeeper(
                settings: KioskSettings(configuration, softwareVersion: base.version),
                dependencies: Gatekeeper.Dependencies(
                    clock: clock, spawner: spawner,
                    openTransport: { () throws(TransportError) in try openTransport(radio, missing, runtime) },
                    resetAdapter: { AdapterResetRequest.ask(log, in: runtime, spawner: spawner) }, ledger: keeper,
                    printedKey: features.lazy.compactMap(\.printedKey).first,
                    verify: { visit, payload, date in
                        verifiers.verify(payload, of: visit, at: date, monotonic: clock.now())
                    }, settle: { verifiers.settle($0, $1, at: clock.now()) }, wallTime: records.wallTime,
                    schedule: configuration.door.schedule,
                    minimumClock: { verifiers.current.policy.minimumClock }, panel: base.panel ?? NoPanel(),
                    listeners: listeners, observe: observe))
            base.inbox.connect { [weak gatekeeper] in await gatekeeper?.take($0) }
        }

        /// Returns the service that keeps the trust data fresh.
        func trust(_ base: Base, _ records: Records) -> TrustService {
            let configuration = base.configuration
            let policyOver: @Sendable (GatePolicy?) -> VerificationPolicy = {
                ConfiguredPolicy.rules(of: configuration, under: $0)
            }
            return TrustService.make(
                configuration.trust, beginning: base.judgement.trust,
                refresher: TrustRefresher(
                    configuration.trust, state: TrustState(configuration.trust), contacts: base.crashes),
                verifiers: verifiers,
                policy: RulesInForce.comeWithTrust(configuration.policy.file) ? policyOver : nil,
                clock: base.clock, wallTime: records.wallTime, log: base.log, report: base.report)
        }

        /// Returns the service that applies changes of the policy file.
        func policy(_ base: Base) -> PolicyService {
            let configuration = base.configuration
            return PolicyService(
                configuration.policy.file.map { PolicyState(path: $0, folder: configuration.trust.state) },
                over: ConfiguredPolicy.defaults(configuration),
                direction: ConfiguredPolicy.direction(configuration), verifiers: verifiers, log: base.log,
                report: base.report, clock: base.clock)
        }

        /// Returns the probes of what every visit needs. `stuck` gets the name of a part that does not answer.
        func lifeSigns(
            by clock: Clock, _ spawner: Spawner, wallTime: @escaping @Sendable () -> WallTime,
            stuck: @escaping @Sendable (String?) -> Void
        ) -> LivenessProbes {
            LivenessProbes(
                [
                    .init("the radio's thread", by: clock, spawner) { [gatekeeper] in await gatekeeper.breathe() > 0 },
                    .init("the verification", by: clock, spawner) { [gatekeeper, verifiers] in
                        // Verify an empty payload. The verifier must reject it.
                        await gatekeeper.verifications.answer {
                            !verifiers.current.verify([], at: wallTime()).isAccepted
                        }
                    },
                    .init("the ledger writer", by: clock, spawner) { [keeper] in
                        await keeper.breathe()
                        return true
                    },
                ], stuck: stuck)
        }
    }

    /// The operator's orders and the inputs at the door.
    struct Door {
        let orders: DoorOrders
        let lines: DoorLines?

        init(_ base: Base, _ records: Records, _ gate: Gate) throws {
            orders = try DoorOrders(
                DoorOrderFile(database: base.configuration.ledger.path), clock: base.clock, wallTime: records.wallTime,
                report: base.report)
            let inbox = DoorInbox(spawner: base.spawner)
            // Before the first visit: apply the operator's order from before this start.
            let minimum = gate.verifiers.current.policy.minimumClock
            inbox.take([.order(orders.restored(at: base.clock.now(), minimum: minimum))])
            lines = try DoorLines(base.configuration) { inbox.take($0) }
            inbox.connect { [weak gatekeeper = gate.gatekeeper] in await gatekeeper?.take($0) }
        }
    }
}
