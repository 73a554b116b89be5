import CGPIO

/// One input line whose level is read on request. Not thread-safe: only one thread may use it.
package final class GPIOInput {
    private let request: GPIORequest

    /// Requests the line `name` of the chip with the label `chip` as an input. gpioinfo shows `consumer` as the user
    /// of the line.
    package convenience init(chip: String, _ name: String, consumer: String) throws(GPIOError) {
        try self.init(chip: chip, name, consumer: consumer, library: nil)
    }

    init(chip: String, _ name: String, consumer: String, library: GPIOLibrary?) throws(GPIOError) {
        request = try GPIORequest(
            chip: chip, [.init(name: name)], for: CGPIO_INPUT, consumer: consumer, library: library)
    }

    /// Returns whether the level is high. Throws if the line was lost.
    package func isHigh() throws(GPIOError) -> Bool { try request.active() != 0 }

    /// Releases the line. Further calls do nothing.
    package func close() { request.close() }
}
