package import Encoding
import Glibc

/// The reason why a controller cannot be reached or was lost.
package enum TransportError: Error, Hashable, Sendable {
    /// The kernel has no Bluetooth, or this process runs in another network namespace than the adapter.
    case noBluetooth
    /// The adapter or device with the given name does not exist. `others` contains the names of the existing
    /// adapters.
    case notFound(String, others: [String] = [])
    /// Another program uses the adapter with the given name: bluetoothd, if it is running, or a second gate. `holder`
    /// is the name of that program; nil: it is unknown.
    case busy(String, holder: String? = nil)
    /// Software blocks the transmitter (rfkill).
    case blocked
    /// A hardware switch blocks the transmitter. No program can remove this block.
    case switchedOff
    /// The opener (``RadioOpener``) failed. The text is the reason.
    case opener(String)
    /// The process lacks the permission for the operation that the text names.
    case notPermitted(String)
    /// The host with the given address does not answer.
    case unreachable(String)
    /// The peer closed the connection, or the adapter was unplugged.
    case gone
    /// The received bytes are not H4 packets.
    case framing(H4Framing.Failure)
    /// A packet that this program tried to send is empty or too long. The value is its length in bytes.
    case badPacket(Int)
    /// The controller accepts no more data, and the queue for sending is full.
    case stalled
    /// The serial line does not support the given speed, in baud.
    case unsupportedSpeed(Int)
    /// Another system call failed, with the given error.
    case system(SystemError)

    /// The instruction for the operator that removes the cause of the error.
    package var remedy: String {
        switch self {
        case .noBluetooth:
            "Use a kernel with Bluetooth (modprobe bluetooth); do not run in a container or with PrivateNetwork=."
        case .notFound: "Check radio.device against /sys/class/bluetooth, and that the adapter is plugged in."
        case .busy(_, let holder):
            holder == nil
                ? "Stop the other user of the adapter: a second kiosk, or bluetoothd (systemctl disable --now "
                    + "bluetooth)."
                : "Run: systemctl disable --now bluetooth. The drop-in of the package keeps it from starting."
        case .blocked: "Run: rfkill unblock bluetooth."
        case .switchedOff: "Look for a wireless switch or key on the machine: rfkill list shows a hard block."
        case .opener: "Run: systemctl restart gatehouse-radio.socket. Its log: journalctl -u gatehouse-radio."
        case .notPermitted:
            "Run it as the service (gatehouse.service), or grant CAP_NET_ADMIN or the device's group."
        case .unreachable: "Start the controller, or correct radio.host and radio.port."
        case .gone: "Plug the adapter in again or restart the controller; the kiosk retries automatically."
        case .framing: "Check radio.baud and flow control; on a Raspberry Pi do not use the mini UART."
        case .badPacket: "This is a bug in the program: report it with the log."
        case .stalled: "The controller hangs: it is being reset; if that repeats, power it off and on."
        case .unsupportedSpeed: "Use 115200, 230400, 460800, 921600, 1000000, 1500000, 2000000, 3000000 or 4000000."
        case .system(let error): error.remedy
        }
    }

    /// Returns the error for an errno value of opening `device`. `daemon` returns whether bluetoothd runs, and is
    /// called only for EBUSY.
    static func opening(
        _ device: String, _ operation: String, code: Int32, daemon: @autoclosure () -> Bool = Adapters.daemonIsRunning()
    ) -> TransportError {
        switch code {
        case EAFNOSUPPORT, EPROTONOSUPPORT: .noBluetooth
        case ENODEV, ENOENT, ENXIO: .notFound(device)
        case EBUSY: .busy(device, holder: daemon() ? "bluetoothd" : nil)
        case ERFKILL: .blocked
        case EPERM, EACCES: .notPermitted(operation)
        case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT, EADDRNOTAVAIL: .unreachable(device)
        default: .system(SystemError(operation, code: code))
        }
    }

    /// Returns the error for an errno value of a read or a write.
    static func transferring(_ operation: String, code: Int32) -> TransportError {
        switch code {
        case EPIPE, ECONNRESET, ENODEV, EIO, ENXIO: .gone
        case ERFKILL: .blocked
        default: .system(SystemError(operation, code: code))
        }
    }
}

extension TransportError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noBluetooth: "the kernel has no Bluetooth sockets"
        case .notFound(let device, let others):
            "\(device): no such adapter or device"
                + (others.isEmpty ? "" : "; there is \(others.joined(separator: ", "))")
        case .busy(let device, let holder): "\(device) is in use by \(holder ?? "another program")"
        case .blocked: "the Bluetooth transmitter is switched off (rfkill)"
        case .switchedOff: "the Bluetooth transmitter is switched off by hardware (rfkill)"
        case .opener(let what): "the opener of the radio: \(what)"
        case .notPermitted(let operation): "not permitted: \(operation)"
        case .unreachable(let address): "nothing answers at \(address)"
        case .gone: "the controller was removed"
        case .framing(.unknownPacketType(let byte)): "not an HCI byte stream: packet type \(byte)"
        case .framing(.packetTooLong(let size)): "not an HCI byte stream: a packet of \(size) bytes"
        case .badPacket(let size): "an HCI packet of \(size) bytes cannot be sent"
        case .stalled: "the controller accepts no more data"
        case .unsupportedSpeed(let baud): "the serial speed \(baud) is not supported"
        case .system(let error): error.description
        }
    }
}
