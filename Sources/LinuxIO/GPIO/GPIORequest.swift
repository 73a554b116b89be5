import CGPIO
import Glibc

/// Lines of one chip, taken from the kernel in one request. Not shared: one thread owns it.
///
/// Levels are bits here, those of the lines in their order, and 1 is active: the kernel turns active-low lines round.
final class GPIORequest {
    /// A line as it is wanted.
    struct Line {
        /// Its name on the chip.
        let name: String
        /// `GPIO_V2_LINE_FLAG_…`.
        let flags: [gpio_v2_line_flag]
        /// Changes that do not last so long are passed over, in microseconds; 0: none are.
        var debounce: UInt32 = 0
    }

    /// For poll(2); -1 when the lines were given back.
    private(set) var descriptor: Int32
    /// The chip and the offset of each line on it.
    let place: (path: String, offsets: [UInt32])
    private let mask: UInt64

    /// Takes the lines; outputs are inactive from then on. `chip` is a label (see ``GPIOChips``), `consumer` is shown by gpioinfo.
    init(chip label: String, _ lines: [Line], consumer: String) throws(GPIOError) {
        guard (1...CGPIO_MAX_LINES).contains(lines.count) else { throw .count(lines.count) }
        let place = try GPIOChips.find(label, lines.map(\.name), in: GPIOChips.list())
        self.place = place
        mask = (1 << UInt64(lines.count)) - 1
        let wanted = zip(place.offsets, lines).map { offset, line in
            cgpio_line(
                offset: offset, debounce_us: line.debounce, flags: line.flags.reduce(0) { $0 | UInt64($1.rawValue) })
        }
        var (count, name): (UInt32, GPIOChips.Name) = (0, .init())
        let chip = name.fill { cgpio_chip_open(place.path, &count, $0) }
        descriptor = chip < 0 ? chip : cgpio_request(chip, consumer, wanted, Int32(wanted.count))
        // A request lives on without the chip's descriptor.
        if chip >= 0 { Glibc.close(chip) }
        switch -descriptor {
        case ...0: break
        case EBUSY: throw .busy(chip: label)
        case EACCES, EPERM: throw .notPermitted(path: place.path)
        default: throw .failed(SystemError("taking lines of \(label)", code: -descriptor))
        }
    }

    deinit { close() }

    /// Sets all lines together.
    func set(_ active: UInt64) throws(GPIOError) {
        try Self.check(cgpio_set(descriptor, mask, active), "setting lines")
    }

    /// The lines that are active, read from the chip.
    func active() throws(GPIOError) -> UInt64 {
        var active: UInt64 = 0
        try Self.check(cgpio_get(descriptor, mask, &active), "reading lines")
        return active
    }

    /// What has happened on lines with edges, in its order; empty: nothing has come since. Does not wait.
    func events() throws(GPIOError) -> [gpio_v2_line_event] {
        let none = gpio_v2_line_event()
        var events = [gpio_v2_line_event](repeating: none, count: Int(CGPIO_MAX_EVENTS))
        let count = cgpio_events(descriptor, &events, Int32(events.count))
        try Self.check(count, "reading edges")
        return Array(events.prefix(Int(count)))
    }

    /// Makes the lines inactive when the process crashes, before it dies. For one request at a time.
    func releaseAtCrash() { cgpio_release_at_crash(descriptor, mask) }

    /// Gives the lines back as they are; may be called twice.
    func close() {
        guard descriptor >= 0 else { return }
        cgpio_forget_at_crash(descriptor)
        Glibc.close(descriptor)
        descriptor = -1
    }

    private static func check(_ result: Int32, _ what: String) throws(GPIOError) {
        guard result >= 0 else { throw .failed(SystemError(what, code: -result)) }
    }
}
