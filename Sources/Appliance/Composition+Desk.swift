import Administration
import Courier
import Credentials
import Encoding
import GateService
import Kiosk
import LinuxIO
import Monitoring
import Settings
import TrustFiles

extension Composition {
    /// What answers requests of other commands: the status report, the agents, the door and a restart.
    struct Desk {
        let expiry: ExpiryService
        let date: PatientDate
        let status: StatusDesk
        private(set) var desk = ControlDesk()
        /// A reason for each request for a restart.
        let restarts: AsyncStream<Text>

        init(_ base: Base, _ records: Records, _ gate: Gate, _ door: Door) throws {
            let (configuration, log, report) = (base.configuration, base.log, base.report)
            let (agents, gatekeeper, wallTime) = (gate.agents, gate.gatekeeper, records.wallTime)
            expiry = ExpiryService(
                .init(
                    verifiers: gate.verifiers, others: { Expiries.gate(configuration, rules: $0) },
                    fetchedFrom: configuration.trust.fetchedFrom, wallTime: wallTime, report: report, log: log,
                    tell: { code, text, heard in
                        let told = await agents.tell(code, text, sparing: heard)
                        return .init(heard: told.heard, isComplete: told.isComplete)
                    }))
            let date = try PatientDate(wallTime)
            let status = StatusDesk(
                base.identity(start: records.starts),
                kiosk: { await gatekeeper.status() },
                parts: StatusParts(
                    store: records.store, verifiers: gate.verifiers, date: date, agents: { await agents.status() },
                    sticker: gate.sticker, expiry: expiry, configuration: configuration, log: log
                ).all,
                now: { (SystemClock.now(), await date.now().utc) })
            (self.date, self.status) = (date, status)
            desk.take(.status) { _ in await status.report() }
            AgentDesk(store: records.store, service: agents).register(in: &desk)
            DoorDesk(
                door.orders, settings: configuration.door.settings, tell: { await gatekeeper.take($0) },
                status: { await gatekeeper.status() }, wallTime: wallTime, log: log
            ).register(in: &desk)
            let (restarts, restart) = AsyncStream.makeStream(of: Text.self, bufferingPolicy: .bufferingNewest(1))
            self.restarts = restarts
            desk.take(.restart) { _ in
                restart.yield(Composition.restartAsked)
                return ["restarts": true]
            }
        }
    }
}
