import CGPIO

/// Output lines of one GPIO chip that are requested together, so that they change in one step.
///
/// Every line is inactive from the request on (relay released, lamp off), and is made inactive again before it is
/// released, because some kernels keep driving a released line. Not thread-safe: only one thread at a time may use
/// the object.
package final class GPIOLines {
    /// An output line with its polarity.
    package struct Output: Hashable, Sendable {
        /// The name of the line on its chip, for example `GPIO17`.
        package var name: String
        /// Whether low voltage means active.
        package var activeLow: Bool

        /// Creates an output line with the name `name`.
        package init(_ name: String, activeLow: Bool = false) {
            (self.name, self.activeLow) = (name, activeLow)
        }

        var line: GPIORequest.Line { .init(name: name, activeLow: activeLow) }
    }

    private let names: [String]
    let request: GPIORequest
    private var isClosed = false

    /// Requests the output lines, at most 32. `chip` is the label of their chip (see ``GPIOChips``). gpioinfo shows
    /// `consumer` as the user of the lines.
    package convenience init(chip: String, _ outputs: [Output], consumer: String = "gatehouse") throws(GPIOError) {
        try self.init(chip: chip, outputs, consumer: consumer, library: nil)
    }

    init(chip: String, _ outputs: [Output], consumer: String = "gatehouse", library: GPIOLibrary?) throws(GPIOError) {
        names = outputs.map(\.name)
        request = try GPIORequest(
            chip: chip, outputs.map(\.line), for: CGPIO_OUTPUT, consumer: consumer, library: library)
    }

    deinit { close() }

    /// Makes the lines in `names` active and all others inactive, in one step.
    package func set(active names: Set<String>) throws(GPIOError) {
        try request.set(Self.bits(of: names, among: self.names))
    }

    /// Returns the names of the lines that are active, read back from the chip.
    package func active() throws(GPIOError) -> Set<String> {
        let active = try request.active()
        return Set(names.enumerated().filter { active & (1 << UInt64($0.offset)) != 0 }.map(\.element))
    }

    /// Makes the lines inactive when the process crashes, before the process ends. Only one request in a process can
    /// have this protection; the relay's request uses it.
    package func releaseAtCrash() { request.releaseAtCrash() }

    /// Makes all lines inactive and releases them. Further calls do nothing.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        try? request.set(0)
        request.close()
    }

    /// Returns the bits of the lines in `active`. The position of a line in `names` is the position of its bit.
    static func bits(of active: Set<String>, among names: [String]) -> UInt64 {
        names.enumerated().reduce(0) { bits, line in
            active.contains(line.element) ? bits | 1 << UInt64(line.offset) : bits
        }
    }
}
