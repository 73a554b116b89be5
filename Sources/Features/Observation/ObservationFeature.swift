import GateService
import ServiceLifecycle
import Settings

/// The status of the gate in files and on pages, in addition to the control socket.
struct ObservationFeature: Feature {
    static let section: any ConfigurationSection.Type = ObserveSection.self

    private let signal = ObservationSignal()

    init(_ start: FeatureStart) {}

    var listeners: [any KioskListener] { [signal] }

    func detachedServices(of gate: ObservedGate) -> [any Service] { [Self.service(gate, signal)] }

    static func waitingServices(of gate: ObservedGate) -> [any Service] { [service(gate, ObservationSignal())] }

    private static func service(_ gate: ObservedGate, _ signal: ObservationSignal) -> ObservationService {
        ObservationService(
            gate.configuration[ObserveSection.self], access: gate.configuration.control.access, status: gate.status,
            store: gate.store, signal: signal, clock: gate.clock, spawner: gate.spawner, date: gate.date,
            report: gate.report)
    }
}
