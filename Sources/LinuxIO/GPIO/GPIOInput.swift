import CGPIO

/// One input line whose level is read on request. It is not shared: only one thread uses it.
final class GPIOInput {
    private let request: GPIORequest

    /// Takes the line `name` of the chip with the label `chip` as an input. gpioinfo shows `consumer`.
    init(chip: String, _ name: String, consumer: String, library: GPIOLibrary? = nil) throws(GPIOError) {
        request = try GPIORequest(
            chip: chip, [.init(name: name)], for: CGPIO_INPUT, consumer: consumer, library: library)
    }

    /// Whether the level is high.
    func isHigh() throws(GPIOError) -> Bool { try request.active() != 0 }

    /// Releases the line; may be called twice.
    func close() { request.close() }
}
