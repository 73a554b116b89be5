import CLinuxShims
import Encoding
import Glibc

/// The kernel's HCI user channel: the adapter belongs to this process alone, and packets pass unchanged.
///
/// Needs CAP_NET_ADMIN. The kernel's driver still loads firmware and opens the line; closing the transport powers the
/// adapter down.
package enum HCIUserChannel {
    /// Puts the adapter down, takes it and returns the transport. `device`: `hci0` or `0`.
    package static func open(
        _ device: String, limits: TransportLimits = TransportLimits()
    ) throws(TransportError) -> PacketTransport {
        guard let index = index(of: device) else { throw .notFound(device) }
        var step: Int32 = 0
        let descriptor = clinux_hci_user_channel(Int32(index), &step)
        guard descriptor >= 0 else {
            let operation = ["opening a Bluetooth socket", "putting \(device) down", "binding \(device)"][Int(step)]
            throw .opening(device, operation, code: -descriptor)
        }
        // Without the larger buffer a stall of half a second loses packets silently; the smaller one still works.
        _ = clinux_receive_buffer(descriptor, Int32(clamping: limits.socketBuffer))
        return PacketTransport(descriptor: descriptor, limits: limits)
    }

    /// The adapter number in `hci0` or `0`; nil for anything else.
    package static func index(of device: String) -> UInt16? {
        let digits = device.hasPrefix("hci") ? device.dropFirst(3) : device[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt16(digits)
    }
}
