import Clocks
import Credentials
import GateService
import Kiosk
import Settings

extension Composition {
    /// The part for the operator's orders and for the inputs at the door.
    struct Door {
        let orders: DoorOrders
        let lines: DoorLines?

        init(_ base: Base, _ records: Records, _ gate: Gate) throws {
            orders = try DoorOrders(
                DoorOrderFile(database: base.configuration.ledger.path), clock: base.clock, wallTime: records.wallTime,
                report: base.report)
            let inbox = DoorInbox(spawner: base.spawner)
            // Before the first visit, apply the order that the operator gave before this start.
            let minimum = gate.verifiers.current.policy.minimumClock
            inbox.take([.order(orders.restored(at: base.clock.now(), minimum: minimum))])
            lines = try DoorLines(base.configuration) { inbox.take($0) }
            inbox.connect { [weak gatekeeper = gate.gatekeeper] in await gatekeeper?.take($0) }
        }

        /// Returns the service that applies the schedule at intervals and stores the orders.
        func service(_ base: Base, _ gate: Gate, date: TimedClockReader) -> DoorService {
            // Read the date only if the configuration has a schedule.
            let hasSchedule = !base.configuration.door.schedule.entries.isEmpty
            return DoorService(orders, clock: base.clock, spawner: base.spawner) {
                [gatekeeper = gate.gatekeeper] instant in
                guard hasSchedule else { return }
                await gatekeeper.hear(await date.now(), at: instant)
            }
        }
    }
}
