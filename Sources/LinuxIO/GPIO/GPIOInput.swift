import CGPIO

/// One input line whose level is read on request. It is not shared: only one thread uses it.
package final class GPIOInput {
    private let request: GPIORequest

    /// Takes the line `name` of the chip with the label `chip` as an input. gpioinfo shows `consumer`.
    package convenience init(chip: String, _ name: String, consumer: String) throws(GPIOError) {
        try self.init(chip: chip, name, consumer: consumer, library: nil)
    }

    init(chip: String, _ name: String, consumer: String, library: GPIOLibrary?) throws(GPIOError) {
        request = try GPIORequest(
            chip: chip, [.init(name: name)], for: CGPIO_INPUT, consumer: consumer, library: library)
    }

    /// Whether the level is high.
    package func isHigh() throws(GPIOError) -> Bool { try request.active() != 0 }

    /// Releases the line; may be called twice.
    package func close() { request.close() }
}
