import Clocks
import Courier
import Encoding
import GateService
import ServiceLifecycle
import Settings

/// The composition root: makes every part of the running appliance from the configuration, and connects the
/// parts.
///
/// An invalid configuration file was refused before. Other faults at a start (trust data, rules, ledger, GPIO
/// chip, log, display) do not end the program. They are reported, and no fault makes the gate admit a
/// visitor. The faulty part is used as soon as it is available.
struct Composition: Sendable {
    /// The parts that exist before the ledger is open.
    let base: Base
    /// The ledger and the data that were read from it.
    let records: Records
    /// The parts that serve visitors.
    let gate: Gate
    /// The door's orders and inputs.
    let door: Door
    /// The parts that answer requests of other commands.
    let desk: Desk

    /// Builds all parts without using the radio. `made`: the day on which this version was built. All parts use
    /// `clock` and `spawner`. `observe` gets every turn of the kiosk. Waits until the ledger can be opened;
    /// returns nil if a restart is requested during that wait. Throws errors that waiting cannot resolve.
    static func make(
        _ configuration: Configuration, version: String, made: Timestamp, environment: [String: String],
        clock: Clock, spawner: Spawner, observe: Gatekeeper.TurnObserver? = nil
    ) async throws -> Composition? {
        let base = try Base(configuration, version: version, environment, clock: clock, spawner: spawner)
        logCrashes(base.crashes.known, base.log, clock, base.report)
        var isMade = false
        // A start that fails or is ended before the service exists is no crash.
        defer { if !isMade { base.crashes.end() } }
        guard let records = try await base.openRecords(made: made) else { return nil }
        base.logStart(records)
        let gate = try Gate(base, records, observe: observe)
        let door = try Door(base, records, gate)
        let desk = try Desk(base, records, gate, door)
        isMade = true
        return Composition(base: base, records: records, gate: gate, door: door, desk: desk)
    }

    /// Wraps a service that the end of the program must not wait for.
    func aside(_ service: any Service) -> DetachedService {
        DetachedService(service, clock: base.clock, spawner: base.spawner)
    }
}
