import CLinuxShims
import Encoding
import Glibc

/// The kernel's HCI user channel: the adapter belongs to this process alone, and packets pass unchanged.
///
/// Taking an adapter needs CAP_NET_ADMIN, using it needs nothing. So either this process has that right, or the opener does it in
/// its place (``RadioOpener``). The kernel's driver still loads firmware and opens the line; closing the transport powers the
/// adapter down.
package enum HCIUserChannel {
    /// Takes the adapter and returns the transport: by the opener where its socket is, else by a right of this process. May wait
    /// for seconds. `device`: `hci0`, or the adapter's address; `opener`: that socket (``RadioOpener/path(beside:)``).
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

    /// How long an adapter may be in use before that is told: while the kernel sets up a new one it is, and so it is for a moment
    /// when a rule of the system brings it up.
    private static let patience = Duration.seconds(1)

    /// Takes the adapter by a right of this process. A block by software is lifted where that is allowed. `buffer`: bytes of
    /// packets that the process has not read yet.
    static func take(_ name: AdapterName, buffer: Int) throws(ChannelRefusal) -> Int32 {
        let end = SystemClock.now().advanced(by: patience)
        var wasUnblocked = false
        while true {
            var step: Int32 = 0
            let descriptor = clinux_hci_user_channel(Int32(try name.number()), &step)
            if descriptor >= 0 {
                // Without the larger buffer a stall of half a second loses packets silently; the smaller one still works.
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

/// The kernel's refusal on the way to an adapter.
struct ChannelRefusal: Error, Hashable {
    /// What was refused. The numbers of the first three are those of the shim.
    enum Step: Int32 {
        /// Making a Bluetooth socket.
        case opening
        /// Putting the adapter down.
        case lowering
        /// Binding its user channel.
        case binding
        /// Looking for the adapter by its address.
        case finding
        /// Asking the opener.
        case asking
    }

    let step: Step
    /// The errno value.
    let code: Int32

    /// The refusal in an operator's terms. `adapters`: those that are there.
    func meaning(
        for device: String, adapters: @autoclosure () -> [Adapters.Adapter] = Adapters.list()
    ) -> TransportError {
        let operation =
            switch step {
            case .opening: "opening a Bluetooth socket"
            case .lowering: "putting \(device) down"
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
