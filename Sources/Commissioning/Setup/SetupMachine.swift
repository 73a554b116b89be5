package import Clocks
import LinuxIO

/// The pinout, and what setup found on the machine. Setup uses these facts only to propose answers, because a card may
/// be prepared on another machine. The doctor reports missing hardware.
package struct SetupMachine: Sendable {
    /// The pinout: the lines, the boards, and the things that a relay opens.
    package let pinout: Pinout
    /// The labels of the GPIO chips that were found.
    package var chips: [String] = []
    /// The kernel's names of the Bluetooth adapters that were found.
    package var adapters: [String] = []
    /// Whether the machine has a framebuffer device.
    package var hasScreen = false
    /// Whether the machine has a battery-backed clock or is synchronised by a time server.
    package var hasClock = true
    /// Whether chrony is installed. Only chrony can authenticate a time server.
    package var hasChrony = false

    /// Creates the facts about a machine of which only the pinout is known.
    package init(_ pinout: Pinout) { self.pinout = pinout }

    /// Collects the facts about this machine, or about a machine whose files are below `root`. GPIO chips are found
    /// only on this machine. `clock` is this machine's clock.
    package init(_ pinout: Pinout, lookingBelow root: String, clock: Clock) {
        self.pinout = pinout
        let files = SystemFiles(root: root)
        chips = root.isEmpty ? (try? GPIOLibrary.loaded()).map { GPIOChips.list($0).chips.map(\.label) } ?? [] : []
        adapters = Adapters.list(in: root + "/sys/class/bluetooth").map(\.name)
        hasScreen = files.exists("/dev/fb0")
        hasChrony = Chrony.takesSources(on: files)
        hasClock =
            files.names("/sys/class/rtc").contains { files.line("/sys/class/rtc/\($0)/hctosys") == "1" }
            || clock.look().isSynchronised
    }

    /// The name of the board; nil unless exactly one board of the pinout was found.
    var board: String? {
        let known = pinout.chips.filter { chip in chips.contains { $0.utf8.elementsEqual(chip.label.utf8) } }
        return known.count == 1 ? known.first?.boards.first : nil
    }
}
