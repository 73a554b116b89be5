/// The 40-pin header of the Raspberry Pi. It has been the same on every board since the model B+.
package enum Header {
    /// The header pins of the GPIO lines, by BCM number. GPIO0 and GPIO1 (ID_SD, ID_SC) are omitted, because the
    /// firmware uses them at each start to search for an add-on board.
    package static let pins: [Int: Int] = [
        2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33, 14: 8, 15: 10, 16: 36,
        17: 11,
        18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22, 26: 37, 27: 13,
    ]

    /// The BCM numbers of the lines that have a pull-down resistor from power-on (BCM2835 ARM Peripherals, table of
    /// alternative functions).
    static let pulledDownAtBoot = 9...27

    /// The BCM numbers of the lines of the serial console. If the console is enabled, it drives these lines while the
    /// machine starts; their idle level is high.
    package static let console = 14...15

    /// The signals of the header pins that are not GPIO lines, by pin.
    package static let fixed: [Int: String] = [
        1: "3.3 V", 2: "5 V", 4: "5 V", 6: "ground", 9: "ground", 14: "ground", 17: "3.3 V", 20: "ground", 25: "ground",
        27: "ID_SD", 28: "ID_SC", 30: "ground", 34: "ground", 39: "ground",
    ]

    /// Returns the BCM number of the line with a name such as `GPIO17`; nil if the header does not have this line.
    static func number(of line: String) -> Int? {
        guard line.hasPrefix("GPIO"), let number = Int(line.dropFirst(4)), pins[number] != nil else { return nil }
        return number
    }
}
