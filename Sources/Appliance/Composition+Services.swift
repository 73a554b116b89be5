import Courier
import Encoding
import Features
import GateService
import Kiosk
import LinuxIO
import Reasons
import ServiceLifecycle
import Settings
import Store

extension Composition {
    /// All services, in the order of their start.
    var services: [any Service] {
        var services: [any Service] = [
            RecordService(keeper: gate.keeper), aside(gate.agents), aside(gate.trust(base, records)), gate.policy(base),
            records.clock,
            DatingService(gate.verifiers, clock: base.clock, wallTime: records.wallTime, report: base.report),
            desk.expiry, door.service(base, gate, date: desk.date),
        ]
        services += renewals
        let running = RunningGate(gatekeeper: gate.gatekeeper, clock: base.clock)
        services += gate.features.flatMap { $0.services(of: running) }
        services += [
            HousekeepingService(parts: self),
            WitnessService(store: records.store, report: base.report, log: base.log, clock: base.clock),
            WatchdogService(base: base, probes: gate.lifeSigns(base, records)), counters, aside(control),
        ]
        let observed = ObservedGate(
            base.configuration, status: desk.status, store: records.store, clock: base.clock, spawner: base.spawner,
            date: { [date = desk.date] in date.known.utc }, report: base.report)
        for service in gate.features.flatMap({ $0.detachedServices(of: observed) }) { services.append(aside(service)) }
        services += [LineService(panel: base.panel, clock: base.clock), GatekeeperService(parts: self)]
        return services
    }

    private var counters: CounterService {
        let dropped = CounterWatch(
            [.init(.logDropped) { [log = base.log, listeners = gate.listeners] in log.dropped + listeners.dropped }],
            report: base.report)
        return CounterService(dropped, clock: base.clock)
    }

    private var control: ControlService {
        ControlService(
            base.configuration.control, router: desk.router, log: base.log, report: base.report, clock: base.clock)
    }

    /// The two services that end the program at a moment without a visitor: when a new ledger must begin, and after a
    /// request for a restart.
    private var renewals: [any Service] {
        let isQuiet: @Sendable () async -> Bool = { [gatekeeper = gate.gatekeeper] in
            let status = await gatekeeper.status()
            return status.phones == 0 && !status.isGateOpen
        }
        return [
            RenewalService(
                contradictions: gate.agents.contradictions, hasBegunOne: records.store.hasBegunNewLedger,
                isQuiet: isQuiet, clock: base.clock, log: base.log),
            RenewalService(
                contradictions: desk.restarts, hasBegunOne: false, isQuiet: isQuiet, clock: base.clock, log: base.log,
                remedy: Self.restartRemedy),
        ]
    }
}
