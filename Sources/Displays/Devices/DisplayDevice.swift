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
    private let file: OpenFile
    var path: String { file.path }
    var descriptor: Int32 { file.descriptor }

    /// Opens the node for reading and writing. `prepare` sets it up and returns 0 or the negative errno.
    init(_ path: String, remedy: String, prepare: (Int32) -> Int32 = { _ in 0 }) throws(DisplayFailure) {
        do throws(SystemError) {
            file = try OpenFile(path, .updating, links: .followed, mayWait: true)
        } catch {
            throw DisplayFailure(SystemError(error.operation, code: error.code, remedy: remedy))
        }
        let result = prepare(file.descriptor)
        guard result >= 0 else {
            throw DisplayFailure(SystemError("setting up \(path)", code: -result, remedy: remedy))
        }
    }

    func write(_ bytes: [UInt8]) throws(DisplayFailure) { try put(bytes, at: nil) }

    /// Writes the bytes from `offset` on.
    func write(_ bytes: [UInt8], at offset: Int) throws(DisplayFailure) { try put(bytes, at: offset) }

    func close() { file.close() }

    private func put(_ bytes: [UInt8], at offset: Int?) throws(DisplayFailure) {
        do throws(SystemError) { try file.write(bytes, at: offset) } catch {
            throw DisplayFailure(
                SystemError("writing to \(path)", code: error.code, remedy: "Check its cable and power."))
        }
    }
}
