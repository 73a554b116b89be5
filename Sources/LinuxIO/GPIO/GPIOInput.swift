import CGPIO

/// One line that is read. Not shared: one thread owns it.
final class GPIOInput {
    private let request: GPIORequest

    /// Takes the line of that name on the chip of that label as an input; `consumer` is shown by gpioinfo.
    init(chip: String, _ name: String, consumer: String, library: GPIOLibrary? = nil) throws(GPIOError) {
        request = try GPIORequest(
            chip: chip, [.init(name: name)], for: CGPIO_INPUT, consumer: consumer, library: library)
    }

    /// Whether the level is high.
    func isHigh() throws(GPIOError) -> Bool { try request.active() != 0 }

    /// Gives the line back; may be called twice.
    func close() { request.close() }
}
