import CGPIO
package import Encoding

/// A change of an input line.
package struct InputEdge: Hashable, Sendable {
    /// The index of the line in the list of requested lines.
    package let index: Int
    /// Whether the line is active after the change.
    package let isActive: Bool
    /// The instant of the change on the scale of ``SystemClock/now()``. It is the end of the debounce time, as the
    /// kernel or ``InputDebounce`` determined it.
    package let at: Instant

    /// Creates a change of the line with the index `index`.
    package init(index: Int, isActive: Bool, at: Instant) {
        (self.index, self.isActive, self.at) = (index, isActive, at)
    }
}

/// The settings of an input line.
package struct InputLine: Hashable, Sendable {
    /// What determines the line's level while nothing drives the line, for example while a contact is open.
    package enum Bias: Hashable, Sendable {
        /// The present setting of the chip, which the request does not change.
        case asItIs
        /// The pull-up resistor of the chip.
        case pullUp
        /// The pull-down resistor of the chip.
        case pullDown
        /// No resistor of the chip. The circuit needs an external resistor.
        case off
    }

    /// The permitted debounce times. The lower bound prevents a flood of edges from a wire that picks up noise.
    package static let debounce: ClosedRange<Duration> = .milliseconds(1)...(.seconds(5))

    /// The name of the line on its chip, for example `GPIO17`.
    package var name: String
    /// Whether low voltage means active.
    package var activeLow: Bool
    /// The bias of the line. It determines the level of an open contact.
    package var bias: Bias
    /// The debounce time: a new level counts after it has lasted for this time. The time is limited to the range
    /// ``debounce`` of the type when the line is requested.
    package var debounce: Duration

    /// Creates an input line with the name `name`.
    package init(_ name: String, activeLow: Bool = false, bias: Bias = .asItIs, debounce: Duration = .milliseconds(20))
    {
        (self.name, self.activeLow, self.bias, self.debounce) = (name, activeLow, bias, debounce)
    }

    /// The debounce time, limited to the range ``debounce`` of the type.
    var time: Duration { min(max(debounce, Self.debounce.lowerBound), Self.debounce.upperBound) }

    var line: GPIORequest.Line {
        .init(name: name, activeLow: activeLow, bias: bias, debounce: UInt32(time.nanoseconds / 1000))
    }
}

/// Input lines that report edges: the lines of a chip or, in tests, simulated lines. Levels are bits; the lowest bit
/// is the first line.
protocol InputBank: AnyObject {
    /// The descriptors to poll. One of them becomes readable when an edge has occurred or the lines are lost.
    var descriptors: [Int32] { get }
    /// The instant at which ``edges()`` must be called even if no descriptor is readable; nil if there is no such
    /// instant.
    var until: Instant? { get }
    /// Returns the edges since the last call in their order; an empty list if there are none. Does not wait.
    func edges() throws(GPIOError) -> [NumberedEdge]
    /// Returns the levels as bits: 1 for each active line.
    func active() throws(GPIOError) -> UInt64
    /// Releases the lines.
    func close()
}

extension InputBank {
    var until: Instant? { nil }
}

/// An edge with its number. The edges of all lines of a request are numbered together, from 1.
struct NumberedEdge: Hashable, Sendable {
    let edge: InputEdge
    let number: UInt32
}

/// Input lines of one chip that are requested together, so that their edges have one common order.
final class GPIOInputBank: InputBank {
    private let request: GPIORequest
    /// The software debouncing; nil: the kernel debounces.
    private var debounce: InputDebounce?
    private var number: UInt32 = 0

    /// Requests the input lines. `chip` is the label of their chip (see ``GPIOChips``). gpioinfo shows `consumer` as
    /// the user of the lines.
    init(chip: String, _ lines: [InputLine], consumer: String, library: GPIOLibrary? = nil) throws(GPIOError) {
        request = try GPIORequest(
            chip: chip, lines.map(\.line), for: CGPIO_EDGES, consumer: consumer, library: library)
        if !request.debounces { debounce = InputDebounce(lines.map(\.time), levels: try request.active()) }
    }

    var descriptors: [Int32] { request.descriptors }

    var until: Instant? { debounce?.end }

    func edges() throws(GPIOError) -> [NumberedEdge] {
        // Read the clock before the edges. Then every edge before `now` has been read when the timers that expired
        // before `now` are evaluated.
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
