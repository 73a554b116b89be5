import CLinuxShims
import Encoding
import Glibc

/// A controller on a serial line that uses H4 (Core Specification Vol 4 Part A), for example a Nordic board with the
/// HCI UART firmware. A controller whose firmware must be loaded first needs the kernel's driver and the user channel
/// instead.
package enum SerialTransport {
    /// Opens the serial line as a byte stream without conversions. `baud` is the speed. `flowControl` switches
    /// RTS/CTS on, which H4 requires except at low speeds.
    package static func open(
        _ path: String, baud: Int, flowControl: Bool, limits: TransportLimits = TransportLimits()
    ) throws(TransportError) -> StreamTransport {
        let descriptor: Int32
        do throws(SystemError) {
            descriptor = try OpenFile(path, .updating, links: .followed).release()
        } catch {
            throw .opening(path, error.operation, code: error.code)
        }
        let result = clinux_serial_setup(descriptor, UInt32(clamping: baud), flowControl ? 1 : 0)
        guard result == 0 else {
            close(descriptor)
            if result == -ENOTSUP { throw .unsupportedSpeed(baud) }
            throw .opening(path, "setting up \(path)", code: -result)
        }
        return StreamTransport(descriptor: descriptor, medium: .line, limits: limits)
    }
}
