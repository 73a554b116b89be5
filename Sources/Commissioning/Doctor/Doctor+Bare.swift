import LinuxIO
import Reasons

/// Findings that do not depend on the configuration, for a machine whose configuration is absent or unusable.
extension Doctor {
    /// The findings about unit, user, disk space, adapters, chips and clocks.
    var bareMachine: [Finding] { unit + disk + anyRadio + anyChip + clock }

    /// The findings about all adapters of the machine. A missing adapter is only a warning, because the gate may use a
    /// controller on a serial line or in the network.
    private var anyRadio: [Finding] {
        guard let adapters = facts.radio.adapters else { return [Finding(TransportError.noBluetooth, state: .warning)] }
        guard !adapters.isEmpty else {
            return [Finding(.radio, .radioNotFound, "this machine has no adapter", state: .warning)]
        }
        return adapters.map(Self.seen) + adapters.flatMap(rfkill) + daemon + opener
    }

    private var anyChip: [Finding] {
        guard let list = facts.chips else { return [Self.chipsUnseen] }
        if case .failure = facts.gpioLibrary { return library }
        let labels = Set(list.chips.map(\.label)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        if let node = list.forbidden.first, labels.isEmpty {
            return [.unknown(.chip, "no permission to open \(node)", "Run it with sudo.")]
        }
        return library
            + (labels.isEmpty
                ? [.good(.chip, "this machine has none")] : labels.flatMap { findings($0, [], list) })
    }
}
