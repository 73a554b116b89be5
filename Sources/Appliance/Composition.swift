import Clocks
import Courier
import Encoding
import GateService
import ServiceLifecycle
import Settings

/// The composition root: creates every part of the appliance from the configuration, and connects the parts.
///
/// An invalid configuration was refused before. No other fault at a start (of trust data, rules, ledger, GPIO chip,
/// log or display) ends the program. It is reported, and does not make the gate admit a visitor. A part with a fault
/// is used as soon as it is available.
struct Composition: Sendable {
    /// The parts that exist before the ledger is open.
    let base: Base
    /// The open ledger and the data that were read from it.
    let records: Records
    /// The parts that serve visitors.
    let gate: Gate
    /// The part for the operator's orders and for the inputs at the door.
    let door: Door
    /// The parts that answer requests of other commands.
    let desk: Desk

    /// Creates all parts. Does not use the radio. `made`: the date on which this version was built. All parts use
    /// `clock` and `spawner`. `observe` receives each turn of the kiosk. Waits until the ledger can be opened;
    /// returns nil if a restart is requested meanwhile. Throws an error if waiting cannot resolve it.
    static func make(
        _ configuration: Configuration, version: String, made: Timestamp, environment: [String: String],
        clock: Clock, spawner: Spawner, observe: Gatekeeper.TurnObserver? = nil
    ) async throws -> Composition? {
        let base = try Base(configuration, version: version, environment, clock: clock, spawner: spawner)
        logCrashes(base.crashes.known, base.log, clock, base.report)
        var isMade = false
        // If the start fails or is ended before the services run, do not count that as a crash.
        defer { if !isMade { base.crashes.end() } }
        guard let records = try await base.openRecords(made: made) else { return nil }
        base.logStart(records)
        let gate = try Gate(base, records, observe: observe)
        let door = try Door(base, records, gate)
        let desk = try Desk(base, records, gate, door)
        isMade = true
        return Composition(base: base, records: records, gate: gate, door: door, desk: desk)
    }

    /// Returns a service that runs `service`, for whose end the program does not wait long.
    func aside(_ service: any Service) -> DetachedService {
        DetachedService(service, clock: base.clock, spawner: base.spawner)
    }
}
