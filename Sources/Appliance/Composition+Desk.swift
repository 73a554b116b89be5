import Administration
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
    /// The parts that answer requests of other commands: the status report, the agents, the door and a restart.
    struct Desk {
        let expiry: ExpiryService
        let date: TimedClockReader
        let status: StatusReporter
        private(set) var router = ControlRouter()
        /// Yields the reason of each request for a restart of the service.
        let restarts: AsyncStream<Text>

        init(_ base: Base, _ records: Records, _ gate: Gate, _ door: Door) throws {
            let (configuration, log, report) = (base.configuration, base.log, base.report)
            let (clock, spawner) = (base.clock, base.spawner)
            let (agents, gatekeeper, wallTime) = (gate.agents, gate.gatekeeper, records.wallTime)
            expiry = ExpiryService(
                .init(
                    verifiers: gate.verifiers,
                    others: { Expiries.gate(configuration, rules: $0) + FeatureList.expiries(configuration) },
                    fetchedFrom: configuration.trust.fetchedFrom, wallTime: wallTime, report: report, log: log,
                    tell: { code, text, heard in
                        let told = await agents.tell(code, text, sparing: heard)
                        return .init(heard: told.heard, isComplete: told.isComplete)
                    }), clock: clock)
            let date = try TimedClockReader(by: clock, spawner, wallTime)
            let status = StatusReporter(
                base.identity(start: records.starts), clock: clock, spawner: spawner,
                kiosk: { await gatekeeper.status() },
                parts: StatusParts(
                    store: records.store, verifiers: gate.verifiers, date: date, agents: { await agents.status() },
                    expiry: expiry, configuration: configuration, log: log
                ).all + gate.features.flatMap(\.parts),
                now: { (clock.now(), await date.now().utc) })
            (self.date, self.status) = (date, status)
            status.register(in: &router)
            AgentHandler(store: records.store, service: agents).register(in: &router)
            DoorHandler(
                door.orders, settings: configuration.door.settings, tell: { await gatekeeper.take($0) },
                status: { await gatekeeper.status() }, clock: clock, spawner: spawner, wallTime: wallTime, log: log
            ).register(in: &router)
            let (restarts, restart) = AsyncStream.makeStream(of: Text.self, bufferingPolicy: .bufferingNewest(1))
            self.restarts = restarts
            router.take(.restart) { _ in
                restart.yield(Composition.restartAsked)
                return ["restarts": true]
            }
        }
    }
}
