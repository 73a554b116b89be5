import CGPIO
package import Encoding

/// A change of an input line.
package struct InputEdge: Hashable, Sendable {
    /// The index of the line in the list of requested lines.
    package let index: Int
    /// Whether the line is active from then on.
    package let isActive: Bool
    /// The instant of the change: the kernel's time stamp, on the scale of ``SystemClock/now()``. It is the
    /// end of the debounce time.
    package let at: Instant

    /// Creates a change.
    package init(index: Int, isActive: Bool, at: Instant) {
        (self.index, self.isActive, self.at) = (index, isActive, at)
    }
}

/// The settings of an input line.
package struct InputLine: Hashable, Sendable {
    /// The source of the line's level while nothing drives the line, for example while a contact is open.
    package enum Bias: Hashable, Sendable {
        /// The setting of the board, unchanged.
        case asItIs
        /// The pull-up resistor of the chip.
        case pullUp
        /// The pull-down resistor of the chip.
        case pullDown
        /// No resistor of the chip, because the circuit has an external one.
        case off
    }

    /// The allowed debounce times. The lower bound prevents a flood of edges from a wire that picks up noise.
    package static let debounce: ClosedRange<Duration> = .milliseconds(1)...(.seconds(5))

    /// The name of the line on its chip, for example `GPIO17`.
    package var name: String
    /// Whether the low level is the active one.
    package var activeLow: Bool
    /// The bias of the line. It determines the level of an open contact.
    package var bias: Bias
    /// How long a level must hold before it counts; limited to ``debounce`` when the line is taken.
    package var debounce: Duration

    /// Creates an input line with this name.
    package init(_ name: String, activeLow: Bool = false, bias: Bias = .asItIs, debounce: Duration = .milliseconds(20))
    {
        (self.name, self.activeLow, self.bias, self.debounce) = (name, activeLow, bias, debounce)
    }

    /// The debounce time, limited to the bounds of the type's ``debounce``.
    var time: Duration { min(max(debounce, Self.debounce.lowerBound), Self.debounce.upperBound) }

    var line: GPIORequest.Line {
        .init(name: name, activeLow: activeLow, bias: bias, debounce: UInt32(time.nanoseconds / 1000))
    }
}

/// Input lines that report edges: the lines of a chip, or of a test. Levels are bits; the first line is the
/// lowest bit.
protocol InputBank: AnyObject {
    /// Descriptors to poll. One of them becomes readable when an edge has occurred or the lines are gone.
    var descriptors: [Int32] { get }
    /// The instant at which ``edges()`` must be called even if nothing is readable; nil if there is none.
    var until: Instant? { get }
    /// Returns the next edges in their order; an empty list if there are no more. Does not wait.
    func edges() throws(GPIOError) -> [NumberedEdge]
    /// Returns the levels: a 1 for each active line.
    func active() throws(GPIOError) -> UInt64
    /// Releases the lines.
    func close()
}

extension InputBank {
    var until: Instant? { nil }
}

/// An edge with its number. The edges of all lines are counted together, from 1.
struct NumberedEdge: Hashable, Sendable {
    let edge: InputEdge
    let number: UInt32
}

/// Input lines of one chip, taken in one request, so that their edges have one order.
final class GPIOInputBank: InputBank {
    private let request: GPIORequest
    /// The software debouncing; nil: the kernel debounces.
    private var debounce: InputDebounce?
    private var number: UInt32 = 0

    /// Takes the input lines. `chip` is the label of their chip (see ``GPIOChips``); gpioinfo shows
    /// `consumer`.
    init(chip: String, _ lines: [InputLine], consumer: String, library: GPIOLibrary? = nil) throws(GPIOError) {
        request = try GPIORequest(
            chip: chip, lines.map(\.line), for: CGPIO_EDGES, consumer: consumer, library: library)
        if !request.debounces { debounce = InputDebounce(lines.map(\.time), levels: try request.active()) }
    }

    var descriptors: [Int32] { request.descriptors }

    var until: Instant? { debounce?.end }

    func edges() throws(GPIOError) -> [NumberedEdge] {
        // Read the clock before reading the edges, so that changes settle at `now` only after every edge
        // before `now` has been read.
        let now = SystemClock.now()
        let edges = try request.edges()
        guard var debounce = self.debounce.take() else { return edges }
        defer { self.debounce = debounce }
        let lasting = edges.flatMap { debounce.take($0.edge) } + debounce.settle(at: now)
        return lasting.map { edge in
            number &+= 1
            return NumberedEdge(edge: edge, number: number)
        }
    }

    func active() throws(GPIOError) -> UInt64 {
        let levels = try request.active()
        debounce?.match(levels, at: SystemClock.now())
        return debounce?.active ?? levels
    }

    func close() { request.close() }
}
