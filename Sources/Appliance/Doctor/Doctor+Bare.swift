import Credentials
import LinuxIO

/// What can be said of a machine whose configuration is absent or cannot be used: all that does not hang on what it says.
extension Doctor {
    /// Unit, user, room, adapters, chips and clocks.
    var bareMachine: [Finding] { unit + disk + anyRadio + anyChip + clock }

    /// Every adapter there is. The gate may use a controller elsewhere: without one it is only to be looked after.
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
            return [.unknown(.chip, "you may not open \(node)", "Run it with sudo.")]
        }
        return library
            + (labels.isEmpty
                ? [.good(.chip, "this machine has none")] : labels.flatMap { findings($0, [], list) })
    }
}
