import Clocks
import Courier
import Credentials
import Encoding
import Features
import GateService
import Kiosk
import LinuxIO
import Settings
import Store

extension Composition {
    /// The parts that serve visitors, and that store and deliver the records of their visits.
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
                configuration: configuration, store: records.store,
                openCourier: { [store = records.store, environment = base.environment] () throws(StoreError) in
                    try await CourierOpening.open(
                        configuration, besides: store, environment, options: StoreOptions(), log: log, report: report)
                }, log: log, clock: clock, spawner: spawner, contacts: base.crashes, report: report)
            keeper = LedgerKeeper(
                store: records.store, reserve: records.reserve, siteKey: records.siteKey, clock: clock,
                spawner: spawner, stamp: records.stamp, report: report,
                onChange: { _ in agents.wake() })
            let verifiers = CurrentVerifier(
                base.judgement.verifier, siteKey: records.siteKey, memory: records.memory)
            (self.agents, self.verifiers) = (agents, verifiers)
            features = base.features.map { feature in
                var feature = feature
                feature.open(wallTime: records.wallTime)
                return feature
            }
            listeners = try Listeners(
                [LogOutput(log), ReadinessOutput(base.manager)] + features.flatMap(\.listeners), clock: clock)
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
    }
}
