import CGPIO
package import Encoding

/// A change of an input line.
package struct InputEdge: Hashable, Sendable {
    /// Which of the lines, by its place among those that were asked for.
    package let index: Int
    /// Whether it is active from then on.
    package let isActive: Bool
    /// When, by the kernel's time stamp on ``SystemClock/now()``: at the end of the time that the level had to hold.
    package let at: Instant

    /// A change.
    package init(index: Int, isActive: Bool, at: Instant) {
        (self.index, self.isActive, self.at) = (index, isActive, at)
    }
}

/// An input line as it is wanted.
package struct InputLine: Hashable, Sendable {
    /// What holds the line's level while nothing drives it, as a contact that is open.
    package enum Bias: Hashable, Sendable {
        /// As the board has it.
        case asItIs
        /// A resistor to the supply, of the chip.
        case pullUp
        /// A resistor to ground, of the chip.
        case pullDown
        /// None of the chip's: there is one outside.
        case off
    }

    /// A level counts only when it holds for so long; nothing is quicker, so that a wire that catches noise is no flood.
    package static let debounce: ClosedRange<Duration> = .milliseconds(1)...(.seconds(5))

    /// The line's name on its chip, e.g. `GPIO17`.
    package var name: String
    /// Whether a low level is the active one.
    package var activeLow: Bool
    /// What holds its level.
    package var bias: Bias
    /// How long a level has to hold; brought into ``debounce`` when the line is taken.
    package var debounce: Duration

    /// A line of that name.
    package init(_ name: String, activeLow: Bool = false, bias: Bias = .asItIs, debounce: Duration = .milliseconds(20))
    {
        (self.name, self.activeLow, self.bias, self.debounce) = (name, activeLow, bias, debounce)
    }

    var line: GPIORequest.Line {
        var flags = [GPIO_V2_LINE_FLAG_INPUT, GPIO_V2_LINE_FLAG_EDGE_RISING, GPIO_V2_LINE_FLAG_EDGE_FALLING]
        if activeLow { flags.append(GPIO_V2_LINE_FLAG_ACTIVE_LOW) }
        switch bias {
        case .asItIs: break
        case .pullUp: flags.append(GPIO_V2_LINE_FLAG_BIAS_PULL_UP)
        case .pullDown: flags.append(GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN)
        case .off: flags.append(GPIO_V2_LINE_FLAG_BIAS_DISABLED)
        }
        let time = min(max(debounce, Self.debounce.lowerBound), Self.debounce.upperBound)
        return .init(name: name, flags: flags, debounce: UInt32(time.nanoseconds / 1000))
    }
}

/// Input lines that tell of their edges: those of a chip, or of a test. Levels are bits, the first line's the lowest.
protocol InputBank: AnyObject {
    /// Readable when something has happened; also when the lines are gone.
    var descriptor: Int32 { get }
    /// The edges that have come, in their order, some at a time; empty: no more. Does not wait.
    func edges() throws(GPIOError) -> [NumberedEdge]
    /// The lines that are active.
    func active() throws(GPIOError) -> UInt64
    /// Gives them back.
    func close()
}

/// An edge with the kernel's number: those of all lines together are counted from 1.
struct NumberedEdge: Hashable, Sendable {
    let edge: InputEdge
    let number: UInt32
}

/// Input lines of a chip, taken in one request, so that their edges have one order.
final class GPIOInputBank: InputBank {
    private let request: GPIORequest

    /// Takes the lines. `chip` is a label (see ``GPIOChips``), `consumer` is shown by gpioinfo.
    init(chip: String, _ lines: [InputLine], consumer: String) throws(GPIOError) {
        request = try GPIORequest(chip: chip, lines.map(\.line), consumer: consumer)
    }

    var descriptor: Int32 { request.descriptor }

    func edges() throws(GPIOError) -> [NumberedEdge] {
        try request.events().compactMap { event in
            guard let index = request.place.offsets.firstIndex(of: event.offset) else { return nil }
            let edge = InputEdge(
                index: index, isActive: event.id == GPIO_V2_LINE_EVENT_RISING_EDGE.rawValue,
                at: SystemClock.instant(ofMonotonic: event.timestamp_ns))
            return NumberedEdge(edge: edge, number: event.seqno)
        }
    }

    func active() throws(GPIOError) -> UInt64 { try request.active() }

    func close() { request.close() }
}
