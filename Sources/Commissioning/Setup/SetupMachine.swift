package import Clocks
import LinuxIO

/// The facts of the machine that a setup knows: the pinout, and what was found on the machine. Setup uses
/// these facts only for proposals, because a card may be prepared on another machine. The doctor reports
/// missing hardware.
package struct SetupMachine: Sendable {
    /// The lines, the boards, and the things that relays open.
    package let pinout: Pinout
    /// Labels of the GPIO chips that were seen.
    package var chips: [String] = []
    /// Names of the Bluetooth adapters that were seen.
    package var adapters: [String] = []
    /// Whether the kernel has a framebuffer device.
    package var hasScreen = false
    /// Whether a battery-backed clock or a time server is seen.
    package var hasClock = true
    /// Whether chrony is installed. Only chrony can authenticate a time server.
    package var hasChrony = false

    /// Creates a machine of which nothing is known.
    package init(_ pinout: Pinout) { self.pinout = pinout }

    /// Looks at this machine, or at a machine whose files are below `root`, whose GPIO chips cannot be
    /// queried. `clock`: the clock of this machine.
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

    /// The name of the board, if exactly one board of the pinout was found.
    var board: String? {
        let known = pinout.chips.filter { chip in chips.contains { $0.utf8.elementsEqual(chip.label.utf8) } }
        return known.count == 1 ? known.first?.boards.first : nil
    }
}
