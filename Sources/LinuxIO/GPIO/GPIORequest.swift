import CGPIO
import Encoding
import Glibc

/// Lines of one chip, taken in one request. Not shared: one thread owns it.
///
/// Levels are bits here, those of the lines in their order, and 1 is active: active-low lines are turned round.
final class GPIORequest {
    /// A line as it is wanted.
    struct Line: Hashable {
        /// Its name on the chip.
        var name: String
        /// Whether a low level is the active one.
        var activeLow = false
        /// What holds the level of an input.
        var bias = InputLine.Bias.asItIs
        /// Changes that do not last so long are passed over, in microseconds; 0: none are.
        var debounce: UInt32 = 0
    }

    /// nil when the lines were given back.
    private(set) var request: OpaquePointer?
    /// How many lines there are.
    private let count: Int
    /// For poll(2), where edges are wanted.
    let descriptors: [Int32]
    /// Whether the kernel passes over changes that do not last.
    let debounces: Bool

    /// Takes the lines; outputs are inactive from then on. `chip` is a label (see ``GPIOChips``), `consumer` is shown
    /// by gpioinfo, `library` is nil for that of this machine.
    init(
        chip label: String, _ lines: [Line], for use: cgpio_use, consumer: String, library: GPIOLibrary? = nil
    ) throws(GPIOError) {
        guard (1...CGPIO_MAX_LINES).contains(lines.count) else { throw .count(lines.count) }
        let library = if let library { library } else { try GPIOLibrary.loaded() }
        let place = try GPIOChips.find(label, lines.map(\.name), in: GPIOChips.list(library))
        let wanted = zip(place.offsets, lines).map { offset, line in
            cgpio_line(
                offset: offset, debounce_us: line.debounce, bias: line.bias.wanted, active_low: line.activeLow)
        }
        (count, debounces) = (lines.count, library.debounces)
        var (chip, size, name): (OpaquePointer?, UInt32, CText) = (nil, 0, CText())
        var error = name.fill { cgpio_chip_open(library.pointer, place.path, &chip, &size, $0) }
        if let chip {
            error = cgpio_take(chip, consumer, use, wanted, Int32(wanted.count), &request)
            cgpio_chip_close(chip)
        }
        var descriptors = [Int32](repeating: -1, count: CGPIO_MAX_LINES)
        let readable = request.map { cgpio_descriptors($0, &descriptors) } ?? 0
        self.descriptors = Array(descriptors.prefix(Int(readable)))
        switch -error {
        case ...0: break
        case EBUSY: throw .busy(chip: label)
        case EACCES, EPERM: throw .notPermitted(path: place.path)
        default: throw .failed(SystemError("taking lines of \(label)", code: -error))
        }
    }

    deinit { close() }

    /// Sets all lines together.
    func set(_ active: UInt64) throws(GPIOError) {
        try Self.check(request.map { cgpio_set($0, active) }, "setting lines")
    }

    /// The lines that are active, read from the chip.
    func active() throws(GPIOError) -> UInt64 {
        var active: UInt64 = 0
        try Self.check(request.map { cgpio_get($0, &active) }, "reading lines")
        return active
    }

    /// What has happened on lines with edges, in its order; empty: nothing has come since. Does not wait.
    func edges() throws(GPIOError) -> [NumberedEdge] {
        var events = [cgpio_event](repeating: cgpio_event(), count: CGPIO_EVENTS_PER_LINE * count)
        let found = try Self.check(request.map { cgpio_events($0, &events) }, "reading edges")
        return events.prefix(Int(found)).map { event in
            NumberedEdge(
                edge: InputEdge(
                    index: Int(event.line), isActive: event.is_active,
                    at: SystemClock.instant(ofMonotonic: event.timestamp_ns)),
                number: event.number)
        }
    }

    /// Makes the lines inactive when the process crashes, before it dies. For one request at a time.
    func releaseAtCrash() { if let request { cgpio_release_at_crash(request) } }

    /// Gives the lines back as they are; may be called twice.
    func close() { if let request = request.take() { cgpio_release(request) } }

    /// - Parameter result: nil: the lines were given back.
    @discardableResult
    private static func check(_ result: Int32?, _ what: String) throws(GPIOError) -> Int32 {
        guard let result, result >= 0 else { throw .failed(SystemError(what, code: -(result ?? -EBADF))) }
        return result
    }
}

extension InputLine.Bias {
    fileprivate var wanted: cgpio_bias {
        switch self {
        case .asItIs: CGPIO_AS_IS
        case .pullUp: CGPIO_PULL_UP
        case .pullDown: CGPIO_PULL_DOWN
        case .off: CGPIO_NO_BIAS
        }
    }
}
