import Glibc
import LinuxIO

/// A device that shows scenes. Only one thread uses a device, and its calls may block.
package protocol DisplayDevice: AnyObject {
    /// How much detail of a scene the device shows.
    var detail: DisplayDetail { get }
    /// Shows the scene in place of the previous one. Opens the device if it is not open, and opens and sets it up
    /// again after a failure.
    func show(_ scene: DisplayScene) throws(DisplayFailure)
    /// Releases the device. The next call of ``show(_:)`` opens it again.
    func close()
}

/// The reason why a scene could not be shown.
package struct DisplayFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operation that failed, and the device.
    package let message: String
    /// The instruction for the operator that removes the cause; empty if there is none.
    package let remedy: String

    /// Creates a failure with the text `message` and the instruction `remedy`.
    package init(_ message: String, remedy: String = "") { (self.message, self.remedy) = (message, remedy) }

    init(_ error: SystemError) {
        self.init("\(error.operation): \(String(cString: strerror(error.code)))", remedy: error.remedy)
    }

    init(_ error: GPIOError) { self.init("\(error)", remedy: error.remedy) }

    package var description: String { message + (remedy.isEmpty ? "" : ". \(remedy)") }
}

/// The connection to a panel over a bus. Each write sends one message.
package protocol DisplayWire: AnyObject {
    /// Sends the bytes as one message.
    func write(_ bytes: [UInt8]) throws(DisplayFailure)
    /// Releases the bus. Further calls do nothing.
    func close()
}

/// A device node to which messages are sent with write(2): an address on an I²C bus, a chip select of an SPI bus, or
/// a framebuffer.
final class DeviceNode: DisplayWire {
    private let file: OpenFile
    var path: String { file.path }
    var descriptor: Int32 { file.descriptor }

    /// Opens the node for reading and writing. `prepare` sets up its descriptor and returns 0 or a negative errno
    /// value. `remedy` is the remedy of an error.
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

    /// Writes the bytes at the position `offset`.
    func write(_ bytes: [UInt8], at offset: Int) throws(DisplayFailure) { try put(bytes, at: offset) }

    func close() { file.close() }

    private func put(_ bytes: [UInt8], at offset: Int?) throws(DisplayFailure) {
        do throws(SystemError) { try file.write(bytes, at: offset) } catch {
            throw DisplayFailure(
                SystemError("writing to \(path)", code: error.code, remedy: "Check its cable and power."))
        }
    }
}
