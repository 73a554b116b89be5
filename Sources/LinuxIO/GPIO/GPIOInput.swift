import CGPIO
import Glibc

/// One line that is read. Not shared: one thread owns it.
final class GPIOInput {
    private var request: OpaquePointer?

    /// Takes the line of that name on the chip of that label as an input; `consumer` is shown by gpioinfo.
    init(chip label: String, _ name: String, consumer: String) throws(GPIOError) {
        let (path, offsets) = try GPIOChips.find(label, [name], in: GPIOChips.list())
        let result = cgpio_inputs_request(path, consumer, offsets, 1, &request)
        switch -result {
        case 0: break
        case EBUSY: throw .busy(chip: label)
        case EACCES, EPERM: throw .notPermitted(path: path)
        default: throw .failed(SystemError("taking lines of \(label)", code: -result))
        }
    }

    deinit { close() }

    /// Whether the level is high.
    func isHigh() throws(GPIOError) -> Bool {
        guard let request else { throw .failed(SystemError("reading a released line", code: EBADF)) }
        var level: UInt8 = 0
        let result = cgpio_outputs_get(request, &level)
        guard result == 0 else { throw .failed(SystemError("reading lines", code: -result)) }
        return level != 0
    }

    /// Gives the line back; may be called twice.
    func close() {
        cgpio_outputs_release(request)
        request = nil
    }
}
