import CLinuxShims
import Encoding
import Glibc

/// The kernel's HCI user channel: this process uses the adapter exclusively, and packets pass unchanged.
///
/// Binding an adapter requires CAP_NET_ADMIN; using it requires nothing. Therefore either this process has
/// that capability, or the opener binds the adapter for this process (``RadioOpener``). The kernel's driver
/// still loads firmware and opens the line. Closing the transport powers the adapter down.
package enum HCIUserChannel {
    /// Takes the adapter and returns the transport. Asks the opener if its socket exists, otherwise uses a
    /// capability of this process. May wait for seconds. `device` is `hci0` or the adapter's address;
    /// `opener` is the opener's socket (``RadioOpener/path(beside:)``).
    package static func open(
        _ device: String, opener: String, limits: TransportLimits = TransportLimits()
    ) throws(TransportError) -> PacketTransport {
        guard let name = AdapterName(device) else { throw .notFound(device) }
        let descriptor: Int32
        do throws(ChannelRefusal) {
            descriptor =
                access(opener, F_OK) == 0 ? try RadioOpener.ask(opener) : try take(name, buffer: limits.socketBuffer)
        } catch {
            throw error.meaning(for: device)
        }
        return PacketTransport(descriptor: descriptor, limits: limits)
    }

    /// How long to retry while the adapter is in use. The kernel uses a new adapter while it sets it up, and
    /// a system rule that brings it up uses it for a moment.
    private static let patience = Duration.seconds(1)

    /// Takes the adapter with a capability of this process. Removes a software block where that is permitted.
    /// `buffer` is the size in bytes of the receive buffer.
    static func take(_ name: AdapterName, buffer: Int) throws(ChannelRefusal) -> Int32 {
        let end = SystemClock.now().advanced(by: patience)
        var wasUnblocked = false
        while true {
            var step: Int32 = 0
            let descriptor = clinux_hci_user_channel(Int32(try name.number()), &step)
            if descriptor >= 0 {
                // Ignore a failure: the default buffer works, although a stall of half a second then loses
                // packets silently.
                _ = clinux_receive_buffer(descriptor, Int32(clamping: buffer))
                return descriptor
            }
            switch -descriptor {
            case ERFKILL where !wasUnblocked:
                wasUnblocked = true
                if (try? Adapters.unblock()) != nil { continue }
            case EBUSY where SystemClock.now() < end:
                usleep(20_000)
                continue
            default: break
            }
            throw ChannelRefusal(step: ChannelRefusal.Step(rawValue: step) ?? .binding, code: -descriptor)
        }
    }
}

/// The kernel's refusal of a step in opening an adapter.
struct ChannelRefusal: Error, Hashable {
    /// The step of the opening that was refused. The numbers of the first three steps are those of the shim.
    enum Step: Int32 {
        /// Making a Bluetooth socket was refused.
        case opening
        /// Bringing the adapter down was refused.
        case lowering
        /// Binding the adapter's user channel was refused.
        case binding
        /// The search for the adapter by its address failed.
        case finding
        /// The request to the opener failed.
        case asking
    }

    let step: Step
    /// The errno value of the refusal.
    let code: Int32

    /// Returns the refusal as an error for the operator. `adapters`: the existing adapters.
    func meaning(
        for device: String, adapters: @autoclosure () -> [Adapters.Adapter] = Adapters.list()
    ) -> TransportError {
        let operation =
            switch step {
            case .opening: "opening a Bluetooth socket"
            case .lowering: "bringing \(device) down"
            case .binding: "binding \(device)"
            case .finding: "looking for \(device)"
            case .asking: "asking the opener"
            }
        if step == .asking { return .opener(String(cString: strerror(code))) }
        switch TransportError.opening(device, operation, code: code) {
        case .notFound: return .notFound(device, others: adapters().map(\.name))
        case .blocked where adapters().contains(where: \.hardBlocked): return .switchedOff
        case let error: return error
        }
    }
}
