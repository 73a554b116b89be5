import CGPIO
import Encoding
import Glibc

/// Lines of one chip that are requested together. Not thread-safe: only one thread at a time may use the object.
///
/// Levels are bits, in the order of the lines. A 1 means active, for active-low lines too.
final class GPIORequest {
    /// The settings of a requested line.
    struct Line: Hashable {
        /// The line's name on the chip.
        var name: String
        /// Whether low voltage means active.
        var activeLow = false
        /// The bias of an input, which determines its level while nothing drives the line.
        var bias = InputLine.Bias.asItIs
        /// The debounce time in microseconds: changes that last less are ignored. Zero means no debouncing.
        var debounce: UInt32 = 0
    }

    /// The request in the library; nil after the lines were released.
    private(set) var request: OpaquePointer?
    /// The number of lines in the request.
    private let count: Int
    /// The descriptors that poll(2) reports as readable at an edge; empty if no edges were requested.
    let descriptors: [Int32]
    /// Whether the kernel debounces the lines.
    let debounces: Bool

    /// Requests the lines. Outputs are inactive from then on. `chip` is the label of the chip (see ``GPIOChips``).
    /// gpioinfo shows `consumer` as the user of the lines. If `library` is nil, uses this machine's library.
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
        default: throw .failed(SystemError("requesting lines of \(label)", code: -error))
        }
    }

    deinit { close() }

    /// Sets all lines in one step. The bits in `active` are the active lines.
    func set(_ active: UInt64) throws(GPIOError) {
        try Self.check(request.map { cgpio_set($0, active) }, "setting lines")
    }

    /// Returns the bits of the active lines, read from the chip.
    func active() throws(GPIOError) -> UInt64 {
        var active: UInt64 = 0
        try Self.check(request.map { cgpio_get($0, &active) }, "reading lines")
        return active
    }

    /// Returns the edges since the last call, in their order; an empty list if there were none. Does not
    /// wait.
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

    /// Makes the lines inactive when the process crashes, before the process ends. Only one request in a process can
    /// have this protection.
    func releaseAtCrash() { if let request { cgpio_release_at_crash(request) } }

    /// Releases the lines without changing their levels. Further calls do nothing.
    func close() { if let request = request.take() { cgpio_release(request) } }

    /// Returns the result, or throws if it is an error.
    ///
    /// - Parameter result: The result of a call of the library; nil: the lines were released before.
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
