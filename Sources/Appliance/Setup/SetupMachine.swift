import LinuxIO

/// What a setup knows of the machine: what is on which pin, and what was found there. It only proposes: a card may be prepared
/// elsewhere, and what is missing is told by the doctor.
package struct SetupMachine: Sendable {
    /// Lines, boards, and what relays open.
    package let pinout: Pinout
    /// Labels of the GPIO chips that were seen.
    package var chips: [String] = []
    /// Names of the Bluetooth adapters that were seen.
    package var adapters: [String] = []
    /// Whether there is a screen of the kernel.
    package var hasScreen = false
    /// Whether a battery-backed clock or a time server is seen.
    package var hasClock = true
    /// Whether chrony is there, which can authenticate a time server.
    package var hasChrony = false

    /// A machine of which nothing was seen.
    package init(_ pinout: Pinout) { self.pinout = pinout }

    /// Looks at this machine, or at one whose files lie below `root`, whose chips cannot be asked.
    package init(_ pinout: Pinout, lookingBelow root: String) {
        self.pinout = pinout
        let files = SystemFiles(root: root)
        chips = root.isEmpty ? (try? GPIOLibrary.loaded()).map { GPIOChips.list($0).chips.map(\.label) } ?? [] : []
        adapters = Adapters.list(in: root + "/sys/class/bluetooth").map(\.name)
        hasScreen = files.exists("/dev/fb0")
        hasChrony = TimeSource.isTaken(on: files)
        hasClock =
            files.names("/sys/class/rtc").contains { files.line("/sys/class/rtc/\($0)/hctosys") == "1" }
            || SystemClock.look().isSynchronised
    }

    /// The board's name, where one that the pinout knows was seen, and no other.
    var board: String? {
        let known = pinout.chips.filter { chip in chips.contains { $0.utf8.elementsEqual(chip.label.utf8) } }
        return known.count == 1 ? known.first?.boards.first : nil
    }
}
