import Glibc
import LinuxIO

/// A device that shows scenes. One thread uses it, and may block in it.
package protocol DisplayDevice: AnyObject {
    /// The detail of scenes that the device shows.
    var detail: DisplayDetail { get }
    /// Shows the scene in place of the previous one. Opens the device if it is not open; after a failure it
    /// is opened and set up again.
    func show(_ scene: DisplayScene) throws(DisplayFailure)
    /// Releases the device. The next scene opens the device again.
    func close()
}

/// The reason why a scene could not be shown.
package struct DisplayFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failed operation, with the device.
    package let message: String
    /// The remedy in plain words; may be empty.
    package let remedy: String

    /// Creates a failure with this text.
    package init(_ message: String, remedy: String = "") { (self.message, self.remedy) = (message, remedy) }

    init(_ error: SystemError) {
        self.init("\(error.operation): \(String(cString: strerror(error.code)))", remedy: error.remedy)
    }

    init(_ error: GPIOError) { self.init("\(error)", remedy: error.remedy) }

    package var description: String { message + (remedy.isEmpty ? "" : ". \(remedy)") }
}

/// The bus connection to a panel: each call sends one message.
package protocol DisplayWire: AnyObject {
    /// Sends the bytes in one message.
    func write(_ bytes: [UInt8]) throws(DisplayFailure)
    /// Releases the bus; may be called twice.
    func close()
}

/// A device node that accepts messages by write(2): an address on an I²C bus, a chip select of an SPI bus, a
/// framebuffer.
final class DeviceNode: DisplayWire {
    let path: String
    private(set) var descriptor: Int32

    /// Opens the node for reading and writing. `prepare` sets it up and returns 0 or the negative errno.
    init(_ path: String, remedy: String, prepare: (Int32) -> Int32 = { _ in 0 }) throws(DisplayFailure) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            throw DisplayFailure(SystemError("opening \(path)", code: errno, remedy: remedy))
        }
        let result = prepare(descriptor)
        guard result >= 0 else {
            close()
            throw DisplayFailure(SystemError("setting up \(path)", code: -result, remedy: remedy))
        }
    }

    deinit { close() }

    func write(_ bytes: [UInt8]) throws(DisplayFailure) {
        try put(bytes) { Glibc.write(descriptor, $0, $1) }
    }

    /// Writes the bytes from `offset` on.
    func write(_ bytes: [UInt8], at offset: Int) throws(DisplayFailure) {
        var place = offset
        try put(bytes) { pointer, count in
            let written = pwrite(descriptor, pointer, count, place)
            place += max(written, 0)
            return written
        }
    }

    func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    private func put(
        _ bytes: [UInt8], _ write: (UnsafeRawPointer?, Int) -> Int
    ) throws(DisplayFailure) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { write($0.baseAddress.map { $0 + done }, $0.count - done) }
            if count > 0 {
                done += count
            } else if count == 0 || errno != EINTR {
                let code = count == 0 ? ENOSPC : errno
                throw DisplayFailure(
                    SystemError("writing to \(path)", code: code, remedy: "Check its cable and power."))
            }
        }
    }
}
