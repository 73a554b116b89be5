import CLinuxShims
import Glibc
import LinuxIO

/// The lines of an e-paper panel on a GPIO chip.
package final class EPaperPins: EPaperLines {
    /// The names of the lines on their chip.
    package struct Names: Hashable, Sendable {
        /// The label of the GPIO chip.
        package var chip: String
        /// The names of three lines: data or command, reset (active low), busy (active high).
        package var data, reset, busy: String

        /// Creates the names.
        package init(chip: String, data: String, reset: String, busy: String) {
            (self.chip, self.data, self.reset, self.busy) = (chip, data, reset, busy)
        }
    }

    private let names: Names
    private let outputs: GPIOLines
    private let busy: GPIOInput

    /// Requests the three lines of the panel.
    package init(_ names: Names) throws(DisplayFailure) {
        self.names = names
        do throws(GPIOError) {
            outputs = try GPIOLines(
                chip: names.chip, [.init(names.data), .init(names.reset, activeLow: true)],
                consumer: "gatehouse-display")
            busy = try GPIOInput(chip: names.chip, names.busy, consumer: "gatehouse-display")
        } catch { throw DisplayFailure(error) }
    }

    /// Sets the lines data and reset in one step.
    package func set(isData: Bool, isReset: Bool) throws(DisplayFailure) {
        do throws(GPIOError) {
            try outputs.set(active: Set((isData ? [names.data] : []) + (isReset ? [names.reset] : [])))
        } catch { throw DisplayFailure(error) }
    }

    /// Reads the busy line.
    package func isBusy() throws(DisplayFailure) -> Bool {
        do throws(GPIOError) { return try busy.isHigh() } catch { throw DisplayFailure(error) }
    }

    /// Releases the lines.
    package func close() {
        outputs.close()
        busy.close()
    }
}

extension EPaperDisplay {
    /// Creates a display on the panel whose chip select is `path`, for example `/dev/spidev0.0`.
    package convenience init(
        width: Int, height: Int, rotation: Int, path: String, lines: EPaperPins.Names
    ) {
        self.init(width: width, height: height, rotation: rotation) { () throws(DisplayFailure) in
            // 4 MHz is a fifth of the chip's maximum, and transfers a picture in ten milliseconds. The mode of the
            // bus is 0.
            let node = try DeviceNode(
                path,
                remedy: "Enable the bus, and give the user access (see /usr/share/doc/gatehouse/hardware/displays.md)."
            ) { clinux_spi_setup($0, 0, 4_000_000) }
            return Bus(wire: node, lines: try EPaperPins(lines))
        }
    }
}
