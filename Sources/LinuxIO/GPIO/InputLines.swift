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

    /// How long a level has to hold, within ``debounce``'s bounds.
    var time: Duration { min(max(debounce, Self.debounce.lowerBound), Self.debounce.upperBound) }

    var line: GPIORequest.Line {
        .init(name: name, activeLow: activeLow, bias: bias, debounce: UInt32(time.nanoseconds / 1000))
    }
}

/// Input lines that tell of their edges: those of a chip, or of a test. Levels are bits, the first line's the lowest.
protocol InputBank: AnyObject {
    /// One of them is readable when something has happened; also when the lines are gone.
    var descriptors: [Int32] { get }
    /// When to ask for edges although nothing is readable; nil: never.
    var until: Instant? { get }
    /// The edges that have come, in their order, some at a time; empty: no more. Does not wait.
    func edges() throws(GPIOError) -> [NumberedEdge]
    /// The lines that are active.
    func active() throws(GPIOError) -> UInt64
    /// Gives them back.
    func close()
}

extension InputBank {
    var until: Instant? { nil }
}

/// An edge with its number: those of all lines together are counted from 1.
struct NumberedEdge: Hashable, Sendable {
    let edge: InputEdge
    let number: UInt32
}

/// Input lines of a chip, taken in one request, so that their edges have one order.
final class GPIOInputBank: InputBank {
    private let request: GPIORequest
    /// nil: the kernel does it.
    private var debounce: InputDebounce?
    private var number: UInt32 = 0

    /// Takes the lines. `chip` is a label (see ``GPIOChips``), `consumer` is shown by gpioinfo.
    init(chip: String, _ lines: [InputLine], consumer: String, library: GPIOLibrary? = nil) throws(GPIOError) {
        request = try GPIORequest(
            chip: chip, lines.map(\.line), for: CGPIO_EDGES, consumer: consumer, library: library)
        if !request.debounces { debounce = InputDebounce(lines.map(\.time), levels: try request.active()) }
    }

    var descriptors: [Int32] { request.descriptors }

    var until: Instant? { debounce?.end }

    func edges() throws(GPIOError) -> [NumberedEdge] {
        // Taken before the read, so that every edge before `now` is read when changes are settled by `now`.
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
