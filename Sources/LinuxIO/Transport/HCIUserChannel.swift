import CLinuxShims
import Encoding
import Glibc

/// The kernel's HCI user channel, over which this process uses an adapter exclusively. Packets pass unchanged.
///
/// To bind an adapter a process needs CAP_NET_ADMIN; to use it afterwards, it needs no capability. Therefore either
/// this process has that capability, or the opener binds the adapter for it (``RadioOpener``). The kernel's driver
/// still loads the firmware and opens the line. Closing the transport powers the adapter down.
package enum HCIUserChannel {
    /// Binds the adapter and returns its transport. If the opener's socket exists, the opener binds the adapter,
    /// otherwise this process does. May wait for seconds. `device` is a name such as `hci0` or the adapter's address.
    /// `opener` is the path of the opener's socket (``RadioOpener/path(beside:)``).
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

    /// How long to retry while the adapter is in use. The kernel itself uses a new adapter while it sets it up, and
    /// so does a system rule that switches the adapter on.
    private static let patience = Duration.seconds(1)

    /// Binds the adapter with the capability of this process, and returns its descriptor. Removes a software block if
    /// permitted. `buffer` is the size of the receive buffer in bytes.
    static func take(_ name: AdapterName, buffer: Int) throws(ChannelRefusal) -> Int32 {
        let end = SystemClock.now().advanced(by: patience)
        var wasUnblocked = false
        while true {
            var step: Int32 = 0
            let descriptor = clinux_hci_user_channel(Int32(try name.number()), &step)
            if descriptor >= 0 {
                // Ignore a failure: the default buffer also works, but after a stall of half a second the kernel
                // drops packets silently.
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

/// The kernel's refusal of one step of opening an adapter.
struct ChannelRefusal: Error, Hashable {
    /// The step that was refused. The numbers of the first three steps are those of `clinux_hci_user_channel`.
    enum Step: Int32 {
        /// Creating a Bluetooth socket.
        case opening
        /// Switching the adapter off.
        case lowering
        /// Binding the adapter's user channel.
        case binding
        /// Finding the adapter by its address.
        case finding
        /// Asking the opener.
        case asking
    }

    let step: Step
    /// The errno value of the refusal.
    let code: Int32

    /// Returns the error for the operator. `adapters` returns the existing adapters.
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
