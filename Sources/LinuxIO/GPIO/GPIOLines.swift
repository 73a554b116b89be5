import CGPIO
import Glibc

/// Output lines of one GPIO chip, taken in one request so that they change together.
///
/// Every line is inactive from the moment it is taken (a gate is shut, a lamp dark), and is made inactive again before it
/// is given back: some kernels keep driving a released line. Not shared: one actor owns it.
package final class GPIOLines {
    /// One line.
    package struct Output: Hashable, Sendable {
        /// The line's name on its chip, e.g. `GPIO17`.
        package var name: String
        /// Whether a low level is the active one.
        package var activeLow: Bool

        /// A line of that name.
        package init(_ name: String, activeLow: Bool = false) {
            (self.name, self.activeLow) = (name, activeLow)
        }
    }

    /// The version of libgpiod that is in use.
    package static var libraryVersion: String { cgpio_version().map { String(cString: $0) } ?? "" }

    private let outputs: [Output]
    private var request: OpaquePointer?

    /// Takes the lines. `chip` is a label (see ``GPIOChips``); `consumer` is shown by gpioinfo.
    package init(chip label: String, _ outputs: [Output], consumer: String = "gatehouse") throws(GPIOError) {
        guard (1...CGPIO_MAX_LINES).contains(outputs.count) else { throw .count(outputs.count) }
        let (path, offsets) = try GPIOChips.find(label, outputs.map(\.name), in: GPIOChips.list())
        self.outputs = outputs
        let first = Self.levels(outputs, active: [])
        let result = cgpio_outputs_request(path, consumer, offsets, first, Int32(outputs.count), &request)
        switch -result {
        case 0: break
        case EBUSY: throw .busy(chip: label)
        case EACCES, EPERM: throw .notPermitted(path: path)
        default: throw .failed(SystemError("taking lines of \(label)", code: -result))
        }
    }

    deinit { close() }

    /// Makes exactly the lines of these names active, all in one step.
    package func set(active names: Set<String>) throws(GPIOError) {
        guard let request else { throw .failed(SystemError("setting released lines", code: EBADF)) }
        let result = cgpio_outputs_set(request, Self.levels(outputs, active: names))
        guard result == 0 else { throw .failed(SystemError("setting lines", code: -result)) }
    }

    /// The names of the lines that are active, read back from the chip.
    package func active() throws(GPIOError) -> Set<String> {
        guard let request else { throw .failed(SystemError("reading released lines", code: EBADF)) }
        var levels = [UInt8](repeating: 0, count: outputs.count)
        let result = cgpio_outputs_get(request, &levels)
        guard result == 0 else { throw .failed(SystemError("reading lines", code: -result)) }
        return Set(zip(outputs, levels).filter { ($1 != 0) != $0.activeLow }.map(\.0.name))
    }

    /// Makes the lines inactive when the process crashes, before it dies. For one request at a time: that of the relay.
    package func releaseAtCrash() {
        guard let request else { return }
        cgpio_release_at_crash(request, Self.levels(outputs, active: []))
    }

    /// Makes all lines inactive and gives them back; may be called twice.
    package func close() {
        guard let request else { return }
        cgpio_forget_at_crash(request)
        _ = cgpio_outputs_set(request, Self.levels(outputs, active: []))
        cgpio_outputs_release(request)
        self.request = nil
    }

    /// The physical levels. Active-low is turned round here and not by the library, whose version 1 knows it only for all
    /// lines of a request together.
    static func levels(_ outputs: [Output], active: Set<String>) -> [UInt8] {
        outputs.map { active.contains($0.name) != $0.activeLow ? 1 : 0 }
    }
}
